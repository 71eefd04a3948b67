ncgen --help
