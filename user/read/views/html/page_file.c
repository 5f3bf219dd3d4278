// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page is one file that loads nothing. All that others have chosen is in it as base64, so that it
 * cannot end an element; and only what has this page's nonce is run.
 */
#include "output/message.h"
#include "views/html/page.h"
#include "views/html/page_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NONCE 18 /* bytes */

static void put_part(FILE *out, enum page_part part)
{
	size_t size;
	const char *text = page_part(part, &size);

	fwrite(text, 1, size, out);
}

static void put_data(FILE *out, const char *id, const unsigned char *bytes, size_t n)
{
	fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	base64_write(out, bytes, n);
	fputs("</script>\n", out);
}

static void put_element(FILE *out, const char *name, const unsigned char nonce[NONCE])
{
	fprintf(out, "<%s nonce=\"", name);
	base64_write(out, nonce, NONCE);
	fputs("\">\n", out);
}

static void put_policy(FILE *out, const unsigned char nonce[NONCE])
{
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-", out);
	base64_write(out, nonce, NONCE);
	fputs("'; style-src 'nonce-", out);
	base64_write(out, nonce, NONCE);
	fputs("'; base-uri 'none'; form-action 'none'\">\n", out);
}

static void put_facts(struct page *page, struct page_texts *texts, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die_no_memory();
	page_facts_print(page, texts, file);
	if (fclose(file))
		die_no_memory();
	put_data(out, "facts", (unsigned char *)text, size);
	free(text);
}

/* Last, all that has got a number until then. */
static void put_all_data(struct page *page, FILE *out)
{
	struct packed rows = { 0 }, strings = { 0 };
	struct page_texts texts;

	page_texts_init(&texts, page);
	page_columns_pack(page, &texts, &rows);
	put_data(out, "rows", rows.bytes, rows.count);
	packed_free(&rows);
	put_facts(page, &texts, out);
	page_texts_pack(&texts, &strings);
	put_data(out, "texts", strings.bytes, strings.count);
	packed_free(&strings);
	page_texts_free(&texts);
}

void page_print(struct page *page, FILE *out)
{
	unsigned char nonce[NONCE];
	enum page_part part;

	if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce)) {
		message("--html: getrandom: %s; without it, the page cannot say what is its own", strerror(errno));
		memset(nonce, 0, sizeof(nonce));
	}
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	put_policy(out, nonce);
	put_part(out, PAGE_HEAD);
	put_element(out, "style", nonce);
	put_part(out, PAGE_STYLE);
	fputs("</style>\n</head>\n", out);
	put_part(out, PAGE_BODY);
	put_all_data(page, out);
	put_element(out, "script", nonce);
	for (part = PAGE_FIRST_SCRIPT; part < PAGE_PARTS; part++)
		put_part(out, part);
	fputs("</script>\n</body>\n</html>\n", out);
}
