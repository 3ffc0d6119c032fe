import type { TenantDocumentJob } from './types.ts';

/** A kind of text that the service translates only if `include` names it. */
export type LeftOutText = NonNullable<TenantDocumentJob['request']['include']>[number];

/** The parts of a file in which a kind of text is, and whether the XML of a part has such a text. */
interface Rule {
  kind: LeftOutText;
  part: RegExp;
  hasText(xml: string): boolean;
}

const story = /^word\/(?:document|header\d*|footer\d*)\.xml$/;
const text = /<(?:\w+:)?t(?:\s[^>]*)?>[^<]*\p{L}/u;

const rules: readonly Rule[] = [
  {
    kind: 'text_boxes',
    part: story,
    hasText: (xml) =>
      matches(xml, /<(?:\w+:)?txbxContent(?:\s[^>]*)?(?<!\/)>.*?<\/(?:\w+:)?txbxContent>/gs).some((box) =>
        text.test(box),
      ),
  },
  {
    kind: 'content_controls',
    part: story,
    // A table of contents is always translated, and the text of a list or a date never.
    hasText: (xml) =>
      matches(xml, /<w:sdtPr[\s>].*?<\/w:sdtContent>/gs).some((control) => {
        const [properties = ''] = control.split('<w:sdtContent', 1);
        return (
          !/"Table of Contents"|<w:(?:dropDownList|comboBox|date|picture|dataBinding|citation)\b/.test(
            properties,
          ) && text.test(control.slice(properties.length))
        );
      }),
  },
  { kind: 'footnotes', part: /^word\/footnotes\.xml$/, hasText: (xml) => text.test(xml) },
  { kind: 'endnotes', part: /^word\/endnotes\.xml$/, hasText: (xml) => text.test(xml) },
  // In a document, the names of series are texts; in a workbook, they are copies of cells.
  {
    kind: 'charts',
    part: /^word\/charts\/chart\w*\.xml$/,
    hasText: (xml) => text.test(xml) || /<(?:\w+:)?v>[^<]*\p{L}/u.test(xml),
  },
  { kind: 'charts', part: /^xl\/charts\/chart\w*\.xml$/, hasText: (xml) => text.test(xml) },
  { kind: 'text_boxes', part: /^xl\/drawings\/drawing\d*\.xml$/, hasText: (xml) => text.test(xml) },
];

function matches(xml: string, pattern: RegExp): string[] {
  return [...xml.matchAll(pattern)].map(([found]) => found);
}

/**
 * Finds the texts of a Word file or a workbook that stay by default although a reader sees them, such as those of text
 * boxes. To translate them, send the result as `include`. Works without the service.
 *
 * @param data the content of the file
 * @returns no kinds for other files, and for a file that cannot be read
 */
export async function findLeftOutTexts(data: Uint8Array): Promise<LeftOutText[]> {
  const found = new Set<LeftOutText>();
  try {
    for (const entry of entriesOf(data)) {
      const open = rules.filter(({ kind, part }) => !found.has(kind) && part.test(entry.name));
      if (open.length === 0) continue;
      // A `Fallback` repeats the `Choice` before it for older programs.
      const xml = (await readEntry(data, entry)).replace(/<mc:Fallback>.*?<\/mc:Fallback>/gs, '');
      for (const { kind, hasText } of open) if (hasText(xml)) found.add(kind);
    }
  } catch {
    // The response of the service names the problem with the file.
    return [];
  }
  return [...found];
}

interface Entry {
  name: string;
  isDeflated: boolean;
  size: number;
  at: number;
}

/** The longest end of an archive, and the largest part that is read, in bytes. */
const maxEnd = 65_557;
const maxPart = 50_000_000;

/** Lists the entries of a ZIP archive. */
function entriesOf(data: Uint8Array): Entry[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let end = data.length - 22;
  while (end >= Math.max(0, data.length - maxEnd) && view.getUint32(end, true) !== 0x06054b50) end--;
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    const length = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(data.subarray(at + 46, at + 46 + length)),
      isDeflated: view.getUint16(at + 10, true) === 8,
      size: view.getUint32(at + 20, true),
      at: view.getUint32(at + 42, true),
    });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

async function readEntry(data: Uint8Array, { isDeflated, size, at }: Entry): Promise<string> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const bytes = data.slice(start, start + size);
  if (!isDeflated) return new TextDecoder().decode(bytes);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let xml = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    xml += decoder.decode(read.value, { stream: true });
    if (xml.length > maxPart) throw new RangeError('the part is too large');
  }
  return xml;
}
