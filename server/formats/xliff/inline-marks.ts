import { type InlineCodes, withoutMarks } from '../messages/inline-codes.ts';
import { spliceRange } from '../office/splice.ts';
import { elementsIn, textIn, type XmlElement, type XmlNode } from '../xml/xml-nodes.ts';

/** Elements that are in pairs with an element elsewhere: by the attribute that names the pair in each of the two. */
const halves: Readonly<Record<string, { type: 'open' | 'close'; by: readonly string[] }>> = {
  bpt: { type: 'open', by: ['rid', 'id'] },
  ept: { type: 'close', by: ['rid', 'id'] },
  bx: { type: 'open', by: ['rid', 'id'] },
  ex: { type: 'close', by: ['rid', 'id'] },
  sc: { type: 'open', by: ['id'] },
  ec: { type: 'close', by: ['startRef'] },
  sm: { type: 'open', by: ['id'] },
  em: { type: 'close', by: ['startRef'] },
};

/** Elements that surround text. All other elements stand for content that stays. */
const pairs: ReadonlySet<string> = new Set(['g', 'pc', 'mrk']);

/** Two noncharacters around the number of a subflow, in place of its content in the code around it. */
export const markOfSub = (number: number): string => `\ufdd4${number}\ufdd5`;

/**
 * Returns the text of a source with marks for its inline elements, of XLIFF 1.2 and 2.
 *
 * @param file `local` returns the name of an element without the prefix of XLIFF; `subs` gets the subflows in codes
 */
export function markInline(
  nodes: readonly XmlNode[],
  file: { text: string; codes: InlineCodes; local: (element: XmlElement) => string; subs: XmlElement[] },
): string {
  const subsIn = (element: XmlElement): XmlElement[] =>
    elementsIn(element).flatMap((child) => (file.local(child) === 'sub' ? [child] : subsIn(child)));
  /** The marks of opening elements whose closing ones have not come yet, by the name of the pair. */
  const openings = new Map<string, string[]>();
  const read = (children: readonly XmlNode[]): string => children.map(readNode).join('');
  const readNode = (node: XmlNode): string => {
    if (node.kind === 'text') return withoutMarks(node.text);
    if (node.kind !== 'element')
      return file.codes.add({ type: 'void', written: file.text.slice(node.start, node.end) });
    const name = file.local(node);
    const subs = pairs.has(name) ? [] : subsIn(node);
    const written = spliceRange(
      file.text,
      node.start,
      node.end,
      subs.map((sub) => ({
        start: sub.innerStart,
        end: sub.innerEnd,
        text: markOfSub(file.subs.push(sub) - 1),
      })),
    );
    const half = halfOf(name, node);
    if (half) {
      const open = openings.get(half.pair) ?? [];
      openings.set(half.pair, open);
      const opening = half.type === 'close' ? open.pop() : undefined;
      const mark = file.codes.add({ type: half.type, written, opening });
      if (half.type === 'open') open.push(mark);
      return mark;
    }
    const isProtected =
      node.attributes.get('mtype')?.value === 'protected' || node.attributes.get('translate')?.value === 'no';
    const text = isProtected ? textIn(node) : subs.length > 0 ? undefined : shownText(node);
    if (!pairs.has(name) || node.isSelfClosing || isProtected)
      return file.codes.add({ type: 'void', written, text });
    const opening = file.codes.add({ type: 'open', written: file.text.slice(node.start, node.innerStart) });
    const inner = read(node.children);
    const end = file.text.slice(node.innerEnd, node.end);
    return opening + inner + file.codes.add({ type: 'close', written: end, opening });
  };
  return read(nodes);
}

/** Returns the pair of an element that opens or closes one. */
function halfOf(
  name: string,
  { attributes }: XmlElement,
): { type: 'open' | 'close'; pair: string } | undefined {
  const half = halves[name];
  if (half) {
    const key = half.by.map((attribute) => attributes.get(attribute)?.value).find(Boolean) ?? '';
    // The two ends of a pair have names with the same last letter.
    return { type: half.type, pair: `${name.at(-1)} ${key}` };
  }
  // Angular has elements of HTML as placeholders, with numbers on those that open.
  const [, start, element] = /^(START|CLOSE)_(.+?)(?:_\d+)?$/.exec(attributes.get('id')?.value ?? '') ?? [];
  if (name !== 'x' || element === undefined) return undefined;
  return { type: start === 'START' ? 'open' : 'close', pair: `START_${element}` };
}

/** Returns the text that a placeholder stands for. Markup and long texts are left out. */
function shownText(element: XmlElement): string | undefined {
  if (/^(?:x-)?(?:lb|html-br|br)$/.test(element.attributes.get('ctype')?.value ?? '')) return '\n';
  const text =
    element.attributes.get('equiv-text')?.value ?? element.attributes.get('equiv')?.value ?? textIn(element);
  return /[<>]/.test(text) || text.length > 60 ? undefined : withoutMarks(text);
}
