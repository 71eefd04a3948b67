ncdump --haeder x.nc
