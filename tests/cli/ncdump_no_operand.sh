ncdump -h
