# What make test shows of go test: its lines, with the number of packages that are done.
/^(ok  |FAIL|\?   )\t/ { printf "%*d of %d  ", length(of), ++done, of }
{ print; fflush() }
