/**
 * The ToUnicode map of a font (PDF 32000-1, 9.10.3): the text that each two-byte code stands for.
 * @param texts by code, from code 1
 */
export function toUnicodeMap(texts: readonly string[]): string {
  const lines = texts.map((text, index) => `<${hex(index + 1)}> <${utf16(text)}>`);
  const blocks: string[] = [];
  // A block holds 100 at most.
  for (let start = 0; start < lines.length; start += 100) {
    const block = lines.slice(start, start + 100);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
  }
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <FFFF>',
    'endcodespacerange',
    ...blocks,
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

/** A code as it stands in maps and in strings that are shown: four hexadecimal digits. */
export function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}

function utf16(text: string): string {
  let digits = '';
  for (let index = 0; index < text.length; index++) digits += hex(text.charCodeAt(index));
  return digits;
}
