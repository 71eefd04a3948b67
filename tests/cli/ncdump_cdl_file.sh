. "$CLI/sample.sh"; sample in
ncdump in.cdl
