import { PDFDict, type PDFDocument, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { deflatedStream } from '../../typesetting/deflated-stream.ts';
import { alphaNames } from '../../typesetting/line-writer.ts';
import { getDict, pageBytes } from '../objects.ts';
import { pageResources } from '../page-geometry.ts';
import { formatName, formatNumber } from '../reading/color.ts';
import { ContentScanner, operators } from '../reading/content-scanner.ts';
import { Name, type Operand } from '../reading/operand.ts';

/**
 * Draws on top of the current content of a page, and below it.
 *
 * @param operators the operators that draw the content, in the page's user space; they start with the initial graphics
 *   state
 * @param fonts the fonts that the operators use, by name; fonts of the page must have other names. The states of
 *   `alphaOperator` are added too
 * @param options.below operators of the same kind that are painted before the current content
 * @param options.replaced the page's old content stream, to be deleted; pass it only if nothing else refers to it
 */
export function addContent(
  document: PDFDocument,
  number: number,
  operators: string,
  fonts: ReadonlyMap<string, PDFRef>,
  { below = '', replaced }: { below?: string; replaced?: PDFRef | undefined } = {},
): void {
  const { context } = document;
  const { node } = document.getPage(number - 1);
  const own = enclose(pageBytes(node));
  const all = Buffer.concat([
    Buffer.from(`${below}\n`, 'latin1'),
    own,
    Buffer.from(`\n${operators}`, 'latin1'),
  ]);
  node.set(PDFName.of('Contents'), context.register(deflatedStream(context, all)));
  if (replaced) context.delete(replaced);
  // The page gets its own copy of its resources, because other pages may share them.
  const resources = pageResources(node);
  const allFonts = PDFDict.fromMapWithContext(new Map(getDict(resources, 'Font')?.entries()), context);
  for (const [name, ref] of fonts) allFonts.set(PDFName.of(name), ref);
  const changed = PDFDict.fromMapWithContext(new Map(resources?.entries()), context);
  changed.set(PDFName.of('Font'), allFonts);
  const states = PDFDict.fromMapWithContext(new Map(getDict(resources, 'ExtGState')?.entries()), context);
  for (const [name, alpha] of `${below}${operators}`.matchAll(alphaNames))
    if (!states.has(PDFName.of(name!))) states.set(PDFName.of(name!), context.obj({ ca: Number(alpha) }));
  if (states.keys().length > 0) changed.set(PDFName.of('ExtGState'), states);
  node.set(PDFName.of('Resources'), changed);
}

/**
 * Returns a font name prefix that no font resource of the pages has. Fonts with the usual prefix exist if the file was
 * translated before.
 */
export function unusedFontPrefix(document: PDFDocument): string {
  const names = new Set<string>();
  for (const { node } of document.getPages())
    for (const name of getDict(pageResources(node), 'Font')?.keys() ?? []) names.add(name.decodeText());
  let prefix = 'Set';
  while ([...names].some((name) => name.startsWith(prefix))) prefix += 't';
  return prefix;
}

/**
 * Encloses a content stream so that it does not affect later content: saves and restores the graphics state, and closes
 * open text objects and marked content. The stream may have more restores than saves, or more saves than restores. Its
 * bytes stay the same, except that bytes after the last operator are dropped. A damaged stream is written again, because
 * readers stop at its faults, or take later content for a part of an array.
 */
export function enclose(content: Uint8Array): Uint8Array {
  const scanner = new ContentScanner(content);
  let depth = 0;
  let lowest = 0;
  let marked = 0;
  let isText = false;
  while (scanner.next()) {
    switch (scanner.operator) {
      case 'q':
        depth++;
        break;
      case 'Q':
        depth--;
        lowest = Math.min(lowest, depth);
        break;
      case 'BT':
        isText = true;
        break;
      case 'ET':
        isText = false;
        break;
      case 'BMC':
      case 'BDC':
        marked++;
        break;
      case 'EMC':
        if (marked > 0) marked--;
        break;
    }
  }
  const whole = scanner.isDamaged ? rewrite(content) : content.subarray(0, scanner.end);
  // One save more than there are unmatched restores, so that these restores cannot restore an outer state.
  const saves = 1 - lowest;
  const end = (isText ? 'ET\n' : '') + 'EMC\n'.repeat(marked) + 'Q\n'.repeat(saves + depth);
  return Buffer.concat([Buffer.from('q\n'.repeat(saves)), whole, Buffer.from(`\n${end}`)]);
}

/** Returns the complete operators of a stream, as this service reads them. */
function rewrite(content: Uint8Array): Uint8Array {
  const scanner = new ContentScanner(content);
  const lines: Buffer[] = [];
  while (scanner.next()) {
    const { operands, operator, start, end } = scanner;
    if (operator === 'BI') lines.push(Buffer.from(content.subarray(start, end)), Buffer.from('\n'));
    else if (operands.length >= (operators.get(operator) ?? Number.POSITIVE_INFINITY))
      lines.push(Buffer.from(`${[...operands.map(formatOperand), operator].join(' ')}\n`, 'latin1'));
  }
  return Buffer.concat(lines);
}

function formatOperand(operand: Operand): string {
  if (typeof operand === 'number') return formatNumber(operand);
  if (operand instanceof Uint8Array) return `<${Buffer.from(operand).toString('hex')}>`;
  if (operand instanceof Name) return formatName(operand.value);
  if (Array.isArray(operand)) return `[${operand.map(formatOperand).join(' ')}]`;
  if (!(operand instanceof Map)) return `${operand}`;
  return `<<${[...operand].map(([key, value]) => `${formatName(key)} ${formatOperand(value)}`).join(' ')}>>`;
}
