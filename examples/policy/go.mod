module example.org/policy

go 1.26
