/* What holds with and without libcurl. */
#include "net.h"
#include <string.h>

int cel_net_public_url(const char *url, struct cel_buf *out)
{
    int rc = cel_buf_printf(out, "%.*s", (int)strcspn(url, "?#"), url);

    return rc == CEL_OK ? cel_buf_add(out, "", 1) : rc;
}
