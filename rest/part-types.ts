/** More than the headers of one part may be (`headerSize`), and the boundary before them. */
const kept = 32_768;

/** A part's headers, behind its boundary; a bounded number of them, or a hostile form would be read again and again. */
const partHeaders = /\r\n--[^\r\n]*\r\n((?:[^\r\n]+\r\n){1,20})\r\n/g;

function namesOf(field: string): string[] {
  return [` name="${field}"`, ` name=${field}`, `;name="${field}"`, `;name=${field}`];
}

/**
 * Watches a form's bytes for parts that declare no content type: Busboy calls them text/plain, and what is not declared must
 * not be held against what a file is called.
 */
export function watchPartTypes(): { push(chunk: Buffer): void; isDeclared(field: string): boolean } {
  let recent = '\r\n';
  return {
    push(chunk) {
      recent = recent.slice(-kept) + chunk.toString('latin1');
    },
    /** Of the part of this name that begins now. */
    isDeclared(field) {
      for (const { 0: whole, 1: headers = '', index } of recent.matchAll(partHeaders)) {
        // A field of that name is no file.
        if (!headers.includes('filename') || !namesOf(field).some((name) => headers.includes(name))) continue;
        recent = recent.slice(index + whole.length - 2);
        return /^content-type:[ \t]*\S/im.test(headers);
      }
      return true;
    },
  };
}
