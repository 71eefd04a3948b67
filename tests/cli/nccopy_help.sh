nccopy --help
