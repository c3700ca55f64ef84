package live

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	krb "github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/spnego"
)

// Kerberos says who asks: a principal with its keytab, or whoever has the tickets of a cache.
type Kerberos struct {
	Conf      string // krb5.conf
	Principal string // NAME@REALM, of Keytab
	Keytab    string
	Cache     string // file of tickets, without Keytab
}

// negotiation answers servers that want to negotiate (SPNEGO, RFC 4559) with a ticket for HTTP/HOST.
type negotiation struct {
	next http.RoundTripper
	sign func(*http.Request) error
}

func newNegotiation(k *Kerberos, next http.RoundTripper) (*negotiation, error) {
	conf, err := config.Load(k.Conf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Conf, err)
	}
	var c *krb.Client
	if k.Keytab != "" {
		keys, err := keytab.Load(k.Keytab)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Keytab, err)
		}
		name, realm, ok := strings.Cut(k.Principal, "@")
		if !ok {
			realm = conf.LibDefaults.DefaultRealm
		}
		if name == "" || realm == "" {
			return nil, fmt.Errorf("--principal is %q, want NAME@REALM", k.Principal)
		}
		c = krb.NewWithKeytab(name, realm, keys, conf, krb.DisablePAFXFAST(true))
	} else {
		cache, err := credentials.LoadCCache(strings.TrimPrefix(k.Cache, "FILE:"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w, want a cache of tickets in a file, as kinit -c FILE makes", k.Cache, err)
		}
		if c, err = krb.NewFromCCache(cache, conf, krb.DisablePAFXFAST(true)); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Cache, err)
		}
	}
	return &negotiation{next, func(req *http.Request) error { return spnego.SetSPNEGOHeader(c, req, "HTTP/"+req.URL.Hostname()) }}, nil
}

// RoundTrip is as of [http.RoundTripper]. It is for requests without a body.
func (n *negotiation) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := n.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !wantsNegotiation(resp) || req.Header.Get("Authorization") != "" {
		return resp, err
	}
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // the connection is used again
	resp.Body.Close()
	signed := req.Clone(req.Context())
	if err := n.sign(signed); err != nil {
		return nil, fmt.Errorf("no ticket for HTTP/%s: %w", req.URL.Hostname(), err)
	}
	return n.next.RoundTrip(signed)
}

func wantsNegotiation(resp *http.Response) bool {
	for _, v := range resp.Header.Values("WWW-Authenticate") {
		if scheme, _, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Negotiate") {
			return true
		}
	}
	return false
}

// KerberosOf is Kerberos by what a user gave: a keytab and its principal, or the cache that KRB5CCNAME names. The configuration is that of
// KRB5_CONFIG, or /etc/krb5.conf.
func KerberosOf(principal, keytab string) (*Kerberos, error) {
	k := &Kerberos{Conf: "/etc/krb5.conf", Principal: principal, Keytab: keytab}
	if conf := os.Getenv("KRB5_CONFIG"); conf != "" {
		k.Conf = conf
	}
	if keytab != "" {
		return k, nil
	}
	if principal != "" {
		return nil, errors.New("--principal wants --keytab; without both, the tickets of KRB5CCNAME are taken")
	}
	if k.Cache = os.Getenv("KRB5CCNAME"); k.Cache == "" {
		k.Cache = fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())
	}
	return k, nil
}
