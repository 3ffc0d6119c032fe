import { type InlineContent, type InlineTag, joinStrings } from '../inline-content.ts';

/*
 * Markup in values of front matter and attributes. Site generators show many of them as Markdown or HTML, such as
 * `Read the [guide](/guide/setup)`. Addresses, elements and code are tags.
 */

/** Signs that begin markup, which is text without its end, and markup. */
const markup =
  /(!?\[)|(\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+"[^"]*")?\))|<([A-Za-z][\w-]*)(?:\s[^<>]*)?>|<\/([A-Za-z][\w-]*)\s*>|`[^`\n]+`|(?:https?:\/\/|mailto:)[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?]|\{\{[^{}]*\}\}|\{%[^{}]*%\}/g;

interface Code {
  written: string;
  /** The element that a code opens or closes. */
  name: string;
  partner?: Code;
}

/** A value with its codes. */
export interface CodedValue {
  source: InlineContent;
  /** Code that readers see. */
  code: string[];
  write(target: InlineContent): string;
}

export function codedValue(value: string): CodedValue {
  const pieces: (string | Code)[] = [];
  const open: Code[] = [];
  let at = 0;
  for (const { index, 0: written, 1: bracket, 2: address, 3: element, 4: end } of value.matchAll(markup)) {
    pieces.push(value.slice(at, index));
    at = index + written.length;
    const code: Code = { written, name: address || bracket ? '[' : (element ?? end ?? '') };
    const isOpening = bracket !== undefined || (element !== undefined && !written.endsWith('/>'));
    if (isOpening) open.push(code);
    else if (address || end) {
      const partner = open.findLastIndex(({ name }) => name === code.name);
      if (partner >= 0) {
        code.partner = open[partner]!;
        open[partner]!.partner = code;
        open.splice(partner);
      }
    }
    pieces.push(code);
  }
  pieces.push(value.slice(at));
  const tags = new Map<Code, number>();
  const written = new Map<string, string>();
  const source = pieces.map((piece): InlineContent[number] => {
    // A bracket without an address is text.
    if (typeof piece === 'string' || (!piece.partner && /^!?\[$/.test(piece.written)))
      return typeof piece === 'string' ? piece : piece.written;
    const opened = piece.partner && tags.get(piece.partner);
    const tag = opened ?? tags.size + 1;
    if (opened === undefined) tags.set(piece, tag);
    const type: InlineTag['type'] = !piece.partner ? 'void' : opened === undefined ? 'open' : 'close';
    written.set(`${type} ${tag}`, piece.written);
    return { tag, type, ...(type === 'void' && piece.name === '' && { isWord: true as const }) };
  });
  return {
    source: joinStrings(source),
    code: [...tags.keys()].flatMap((code) =>
      code.written.startsWith('`') ? [code.written.slice(1, -1)] : [],
    ),
    write: (target) =>
      target
        .map((item) => (typeof item === 'string' ? item : written.get(`${item.type} ${item.tag}`)!))
        .join(''),
  };
}
