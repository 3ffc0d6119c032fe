/** Returns a function that writes strings as the file does: with or without escaped slashes and letters. */
export function writerFor(text: string): (text: string) => string {
  const escapesSlash = text.includes('\\/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the range of ASCII.
  const escapesLetters = /\\u[0-9a-f]{4}/i.test(text) && !/[^\x00-\x7f]/.test(text);
  return (string) => {
    let written = JSON.stringify(string);
    if (escapesSlash) written = written.replaceAll('/', '\\/');
    if (escapesLetters)
      written = written.replaceAll(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    return written;
  };
}
