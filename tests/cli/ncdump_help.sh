ncdump --help
