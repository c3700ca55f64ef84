"""A real cluster on loopback: HDFS and YARN of Hadoop 3.4.1, with Spark 3.5.5, each daemon a JVM of its own.

The jars are those of Maven Central: pom.xml here for the servers, scripts/golden/spark/pom.xml for Spark. Nodes are 127.0.0.2, 127.0.0.3, ...; whatever
was started is ended by its process id, containers too.
"""
import contextlib, hashlib, os, pathlib, shutil, signal, socket, subprocess, sys, time, urllib.error, urllib.request
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).parent
SPARK_POM = HERE.parent.parent / "golden" / "spark" / "pom.xml"
JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "--add-opens=java.base/java.lang=ALL-UNNAMED"]
# What Spark 3.5.5 opens on Java 17. Source: JavaModuleOptions of its launcher.
OPENS = " ".join("--add-opens=java.base/%s=ALL-UNNAMED" % p for p in (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util", "java.util.concurrent", "java.util.concurrent.atomic",
    "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"))


class Skip(Exception):
    """Why there can be no cluster here."""


def jars(into):
    """Puts the jars below a folder, which may have them already."""
    for tool in ("java", "javac", "mvn"):
        if not shutil.which(tool):
            raise Skip(f"no {tool} in the path (Debian: apt-get install default-jdk-headless maven)")
    for name, pom in (("hadoop", HERE / "pom.xml"), ("spark", SPARK_POM)):
        done = into / name / ("complete-" + hashlib.sha256(pom.read_bytes()).hexdigest()[:12])
        if done.exists():
            continue
        shutil.rmtree(into / name, ignore_errors=True)  # those of another pom
        got = subprocess.run(["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={into / name}", "-DincludeScope=runtime"],
                             capture_output=True, text=True)
        if got.returncode:
            raise Skip(f"the jars of {name} cannot be had from Maven Central: {(got.stdout + got.stderr).strip()[:300]}")
        done.touch()


def free_port(host="127.0.0.1"):
    with socket.socket() as s:
        s.bind((host, 0))
        return s.getsockname()[1]


class Cluster:
    """Daemons of one cluster in a folder. Use it in a with statement: what runs is ended at its end."""

    def __init__(self, dir, jars, node_mib=4096, node_vcores=4):
        self.dir, self.jars, self.node_mib, self.node_vcores = dir, jars, node_mib, node_vcores
        self.running = {}  # name -> process
        self.ports = {n: free_port() for n in ("fs", "hdfs", "rm", "scheduler", "tracker", "admin", "rmweb")}
        self.rm = f"http://127.0.0.1:{self.ports['rmweb']}"
        self.webhdfs = f"http://127.0.0.1:{self.ports['hdfs']}"
        self.fs = f"hdfs://127.0.0.1:{self.ports['fs']}"
        # HADOOP_ROOT_LOGGER and the like of whoever calls have no say here.
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("HADOOP_", "YARN_", "SPARK_", "JAVA_TOOL"))}
        self.env |= {"SPARK_LOCAL_IP": "127.0.0.1", "HADOOP_USER_NAME": "bench", "JAVA_HOME": java_home()}

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # not without ending what runs
        return self

    def __exit__(self, *_):
        for p in self.running.values():
            p.terminate()
        for name in list(self.running):
            self.stop(name)
        self.end_containers()  # of NodeManagers that were killed

    # Settings

    def site(self):
        p = self.ports
        at = lambda name: f"127.0.0.1:{p[name]}"
        return {
            "core-site": {"fs.defaultFS": self.fs, "hadoop.tmp.dir": self.dir / "tmp",
                          "hadoop.user.group.static.mapping.overrides": "bench=supergroup;ann=supergroup;bob=supergroup",  # event logs are their group's too
                          "net.topology.node.switch.mapping.impl": "org.apache.hadoop.net.TableMapping", "net.topology.table.file.name": self.dir / "racks"},
            "hdfs-site": {"dfs.replication": 2, "dfs.namenode.http-address": at("hdfs"), "dfs.namenode.name.dir": self.dir / "name", "dfs.permissions.enabled": "false",
                          "dfs.namenode.fs-limits.min-block-size": 1024, "dfs.namenode.datanode.registration.ip-hostname-check": "false",
                          "dfs.client.use.datanode.hostname": "true", "dfs.datanode.use.datanode.hostname": "true", "dfs.namenode.safemode.extension": 0},
            "yarn-site": {"yarn.resourcemanager.address": at("rm"), "yarn.resourcemanager.scheduler.address": at("scheduler"),
                          "yarn.resourcemanager.resource-tracker.address": at("tracker"), "yarn.resourcemanager.admin.address": at("admin"),
                          "yarn.resourcemanager.webapp.address": at("rmweb"),
                          "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
                          "yarn.scheduler.fair.allocation.file": self.dir / "allocations.xml",
                          "yarn.scheduler.minimum-allocation-mb": 256, "yarn.resource-types.memory-mb.increment-allocation": "256Mi",
                          "yarn.scheduler.maximum-allocation-mb": self.node_mib, "yarn.nm.liveness-monitor.expiry-interval-ms": 30000,
                          "yarn.resourcemanager.nm.liveness-monitor.interval-ms": 1000,
                          "yarn.nodemanager.resource.memory-mb": self.node_mib, "yarn.nodemanager.resource.cpu-vcores": self.node_vcores,
                          "yarn.nodemanager.vmem-check-enabled": "false", "yarn.nodemanager.pmem-check-enabled": "false",
                          "yarn.nodemanager.disk-health-checker.enable": "false", "yarn.acl.enable": "false"},
        }

    def conf(self, name, **more):
        """A folder of configuration for a daemon; more are files' keys over those of the cluster."""
        to = self.dir / "conf" / name
        to.mkdir(parents=True, exist_ok=True)
        for file, keys in self.site().items():
            keys = keys | more.get(file.replace("-", "_"), {})
            text = "".join(f"<property><name>{k}</name><value>{escape(str(v))}</value></property>\n" for k, v in keys.items())
            (to / f"{file}.xml").write_text(f"<configuration>\n{text}</configuration>\n")
        for app in ("hdfs", "datanode", "static"):  # the published jars have no pages, and HDFS's servers want their folders
            (to / "webapps" / app).mkdir(parents=True, exist_ok=True)
        (to / "log4j.properties").write_text("log4j.rootLogger=INFO,C\nlog4j.appender.C=org.apache.log4j.ConsoleAppender\nlog4j.appender.C.target=System.err\n"
                                             "log4j.appender.C.layout=org.apache.log4j.PatternLayout\nlog4j.appender.C.layout.ConversionPattern=%d %p %c{1}: %m%n\n")
        return to

    # Daemons

    def start(self, name, main, *args, conf=None, lib="hadoop", heap=256, options=()):
        log = open(self.dir / f"{name}.log", "ab")
        command = JAVA + [f"-Xmx{heap}m", *options, "-cp", f"{conf or self.conf(name)}:{self.jars / lib}/*", main, *map(str, args)]
        self.running[name] = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.dir)
        return self.running[name]

    def stop(self, name, with_signal=signal.SIGTERM):
        p = self.running.pop(name)
        p.send_signal(with_signal)
        try:
            p.wait(10)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()

    def containers(self, node="nm"):
        """Processes of containers, of all nodes or of nmK: those that run in a folder of this cluster."""
        out = []
        for p in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if p.name.isdigit() and os.readlink(p / "cwd").startswith(str(self.dir / node)):
                    out.append(int(p.name))
        return out

    def end_containers(self, node="nm"):
        for pid in self.containers(node):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def up(self, allocations, nodes, more=0):
        """Starts everything: nodes is how many nodes, more how many further ones start_node may start later."""
        (self.dir / "allocations.xml").write_text(allocations)
        (self.dir / "racks").write_text("".join(f"{address(k)} /rack{k % 2 + 1}\n" for k in range(nodes + more)))
        for d in ("tmp", "events"):
            (self.dir / d).mkdir()
        conf = self.conf("namenode")
        subprocess.run(JAVA + ["-cp", f"{conf}:{self.jars / 'hadoop'}/*", "org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-nonInteractive"],
                       env=self.env, check=True, capture_output=True)
        self.start("namenode", "org.apache.hadoop.hdfs.server.namenode.NameNode", conf=conf)
        self.start("resourcemanager", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", heap=384)
        for k in range(nodes):
            self.start_node(k)
        self.wait("HDFS", lambda: f'"NumLiveDataNodes":{nodes}' in fetch(f"{self.webhdfs}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState").decode().replace(" ", ""))
        self.mkdir("/spark-events")
        self.mkdir("/user/bench")
        self.wait("YARN", lambda: fetch(f"{self.rm}/ws/v1/cluster/nodes?states=RUNNING").count(b"nodeHTTPAddress") == nodes)

    def start_node(self, k, datanode=True):
        """A NodeManager and, unless told otherwise, a DataNode on the address of node k."""
        host = address(k)
        if datanode:
            self.start(f"datanode{k}", "org.apache.hadoop.hdfs.server.datanode.DataNode", heap=160, conf=self.conf(f"datanode{k}", hdfs_site={
                "dfs.datanode.hostname": host, "dfs.datanode.address": f"{host}:0", "dfs.datanode.http.address": f"{host}:0", "dfs.datanode.ipc.address": f"{host}:0",
                "dfs.datanode.data.dir": self.dir / f"data{k}"}))
        self.start(f"nodemanager{k}", "org.apache.hadoop.yarn.server.nodemanager.NodeManager", conf=self.conf(f"nodemanager{k}", yarn_site={
            "yarn.nodemanager.hostname": host, "yarn.nodemanager.address": f"{host}:45454", "yarn.nodemanager.localizer.address": f"{host}:0",
            "yarn.nodemanager.webapp.address": f"{host}:0", "yarn.nodemanager.local-dirs": self.dir / f"nm{k}" / "local", "yarn.nodemanager.log-dirs": self.dir / f"nm{k}" / "log"}))

    def start_history(self):
        """Spark's history server over the event logs in HDFS. Returns its address."""
        port = free_port()
        self.start("history", "org.apache.spark.deploy.history.HistoryServer", lib="spark", options=OPENS.split() + [
            f"-Dspark.history.fs.logDirectory={self.fs}/spark-events", f"-Dspark.history.ui.port={port}", "-Dspark.history.fs.update.interval=1s"])
        at = f"http://127.0.0.1:{port}"
        self.wait("the history server", lambda: fetch(f"{at}/api/v1/version"), seconds=300)
        return at

    def wait(self, what, ready, seconds=900):
        """Waits for ready() to be true; a daemon that ends ahead of it is an error with the end of its log."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
                if ready():
                    return
            for name, p in self.running.items():
                if p.poll() is not None:
                    raise RuntimeError(f"{name} ended with {p.returncode}:\n{self.tail(name)}")
            if time.monotonic() > end:
                raise RuntimeError(f"{what} is not there after {seconds} s\n" + "\n".join(f"== {n}\n{self.tail(n, 5)}" for n in self.running))
            time.sleep(0.3)

    def tail(self, name, lines=25):
        return "\n".join((self.dir / f"{name}.log").read_text(errors="replace").splitlines()[-lines:])

    # HDFS and applications

    def mkdir(self, path):
        fetch(f"{self.webhdfs}/webhdfs/v1{path}?op=MKDIRS&permission=777&user.name=bench", method="PUT")

    def put(self, path, data, block):
        """Writes a file of HDFS with blocks of a size."""
        fetch(f"{self.webhdfs}/webhdfs/v1{path}?op=CREATE&overwrite=true&blocksize={block}&user.name=bench", method="PUT", data=data)

    def application(self):
        """The jar of WordCount."""
        classes = self.dir / "classes"
        if not classes.exists():
            classes.mkdir()
            subprocess.run(["javac", "-nowarn", "-cp", f"{self.jars / 'spark'}/*", "-d", classes, HERE / "WordCount.java"], check=True)
            subprocess.run(["jar", "cf", self.dir / "wordcount.jar", "-C", classes, "."], check=True)
        return self.dir / "wordcount.jar"

    def submit(self, name, queue, *args, user="bench", **conf):
        """Submits WordCount in cluster mode; keys of Spark have __ for a dot. Returns the process of the client, which ends when the application is accepted."""
        keys = {"spark.app.name": name, "spark.yarn.queue": queue, "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"{self.fs}/spark-events",
                "spark.yarn.jars": f"local:{self.jars / 'spark'}/*", "spark.yarn.submit.waitAppCompletion": "false", "spark.ui.enabled": "false",
                "spark.driver.memory": "384m", "spark.executor.memory": "384m", "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1", "spark.testing.reservedMemory": 32 << 20,
                "spark.yarn.maxAppAttempts": 1} | {k.replace("__", "."): v for k, v in conf.items()}
        settings = [a for k, v in keys.items() for a in ("--conf", f"{k}={v}")]
        where = self.conf("client")
        command = JAVA + ["-Xmx256m", *OPENS.split(), "-cp", f"{where}:{self.jars / 'spark'}/*", "org.apache.spark.deploy.SparkSubmit", "--master", "yarn", "--deploy-mode", "cluster",
                          "--class", "WordCount", *settings, self.application(), *map(str, args)]
        env = self.env | {"HADOOP_CONF_DIR": str(where), "HADOOP_USER_NAME": user}
        log = open(self.dir / f"client-{name}.log", "wb")
        return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.dir)


def java_home():
    return str(pathlib.Path(shutil.which("java")).resolve().parent.parent)


def address(node):
    return f"127.0.0.{node + 2}"


def fetch(url, method="GET", data=None):
    with urllib.request.urlopen(redirecting(url, method, data), timeout=300) as answer:
        return answer.read()


def redirecting(url, method, data):
    """The request of a URL. urllib does not follow a PUT: a NameNode is asked where to write first."""
    if data is not None:
        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None
        try:
            urllib.request.build_opener(Stay).open(urllib.request.Request(url, method=method), timeout=300)
        except urllib.error.HTTPError as e:
            if e.code != 307:
                raise
            url = e.headers["Location"]
    return urllib.request.Request(url, method=method, data=data)
