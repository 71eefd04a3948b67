/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CEL_LOGIN_H
#define CEL_LOGIN_H

/* The name and password for requests to a web server: HTTP.CREDENTIALS.USERNAME and .PASSWORD, or .USERPASSWORD, of the settings
 * (rc.h), else those that .netrc has for the host. They are sent over TLS only. */

#include "credentials.h"
#include "url.h"

int cel_login_find(const struct cel_url *url, struct cel_credentials *out); /* key: the user; NULL: nobody */

/* --- for tests ------------------------------------------------------------------------- */
/* Of the text of a .netrc, which is cut up. CEL_ABSENT: it has nothing for the host. */
int cel_login_parse(char *text, const char *host, struct cel_credentials *out);

#endif
