import type { Finding } from '../document.ts';
import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import { hasLetter } from './cell-text.ts';
import { readXmlPart } from './part-stream.ts';
import type { SheetSummary } from './sheet-reader.ts';
import type { Workbook } from './workbook.ts';

/** Kinds of text that stay untranslated, with their names for one and for several. */
const kinds = {
  comments: ['comment', 'comments'],
  shapes: ['text box or shape with text', 'text boxes and shapes with text'],
  diagrams: ['text in a diagram', 'texts in diagrams'],
  charts: ['text in a chart', 'texts in charts'],
  headersAndFooters: ['header or footer', 'headers and footers'],
  pivotTables: ['pivot table', 'pivot tables'],
  otherSheets: ['dialog sheet or macro sheet', 'dialog sheets and macro sheets'],
  literalLists: ['literal dropdown list', 'literal dropdown lists'],
} as const;

type Kind = keyof typeof kinds;

/** The element whose text is counted once, by the type of the part that has it. */
const counted: Record<string, { kind: Kind; element: string }> = {
  comments: { kind: 'comments', element: 'comment' },
  drawing: { kind: 'shapes', element: 'txBody' },
  chartUserShapes: { kind: 'shapes', element: 'txBody' },
  diagramData: { kind: 'diagrams', element: 't' },
  chart: { kind: 'charts', element: 'p' },
  chartEx: { kind: 'charts', element: 'p' },
};

/** Counts the texts of a workbook that are not in cells. */
export class KeptContent {
  readonly #counts = new Map<Kind, number>();

  /**
   * Reads the parts with such texts that the sheets name, and those that these name.
   *
   * @throws {FileError} `unreadable` or `too_large`
   */
  async read({ office, sheets }: Workbook): Promise<void> {
    const waiting = sheets.map(({ path }) => path);
    const seen = new Set(waiting);
    for (const { type } of sheets)
      if (type !== 'worksheet' && type !== 'chartsheet') this.#add('otherSheets', 1);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
      for (const { type, target } of await office.relationships(path)) {
        // Its names and its copy of the data; the cells that show it are translated.
        if (type === 'pivotTable') this.#add('pivotTables', 1);
        const rule = counted[type];
        if (!rule || target === undefined || seen.has(target)) continue;
        seen.add(target);
        waiting.push(target);
        await readXmlPart(office, target, this.#counter(rule.kind, rule.element));
      }
  }

  addSheet({ headersAndFooters, literalLists }: SheetSummary): void {
    this.#add('headersAndFooters', headersAndFooters);
    this.#add('literalLists', literalLists);
  }

  #add(kind: Kind, count: number): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  /** Counts the elements of that name with a letter in them. */
  #counter(kind: Kind, element: string): PositionedXmlEvents {
    let depth = 0;
    /** The depth of the open element that is counted, and of one that is left out; 0 if there is none. */
    let countedAt = 0;
    let skippedAt = 0;
    let hasText = false;
    return {
      openTag: ({ local }: XmlStartTag) => {
        depth++;
        // The same shape again, for programs that do not know its newer form.
        if (skippedAt === 0 && local === 'Fallback') skippedAt = depth;
        if (countedAt > 0 || skippedAt > 0 || local !== element) return;
        countedAt = depth;
        hasText = false;
      },
      closeTag: () => {
        if (depth === countedAt) {
          if (hasText) this.#add(kind, 1);
          countedAt = 0;
        }
        if (depth === skippedAt) skippedAt = 0;
        depth--;
      },
      text: (text) => {
        if (countedAt > 0 && skippedAt === 0) hasText ||= hasLetter(text);
      },
    };
  }

  /** One finding for each kind. */
  findings(): Finding[] {
    return Object.entries(kinds).flatMap(([kind, [one, several]]): Finding[] => {
      const count = this.#counts.get(kind as Kind) ?? 0;
      if (count === 0) return [];
      const message = count === 1 ? `1 ${one} is not translated` : `${count} ${several} are not translated`;
      return [{ severity: 'info', code: 'unsupported_content_kept', message, unitId: null }];
    });
  }
}
