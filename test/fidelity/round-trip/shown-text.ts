/** A text of a document with its formats: pieces of text, each with a format, as JSON. */
export interface ShownText {
  text: string;
  formats: string;
}

/** Joins neighboring pieces of one format. A blank piece takes the format of the piece before it. */
export function describeFormats(pieces: readonly { text: string; format: string }[]): string {
  const joined: { text: string; format: string }[] = [];
  for (const { text, format } of pieces) {
    const last = joined.at(-1);
    if (last && (last.format === format || text.trim() === '')) last.text += text;
    else if (text !== '') joined.push({ text, format });
  }
  return JSON.stringify(joined.map(({ text, format }) => [text.trim(), format]));
}
