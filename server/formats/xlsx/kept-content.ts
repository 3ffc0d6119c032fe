import { type Finding, fileFinding } from '../document.ts';
import { classOf } from '../layout-kinds.ts';
import { alternativeTexts, alternativeTextsOf, keptFinding } from '../office/kept-finding.ts';
import type { OfficePackage } from '../office/package.ts';
import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { countCharacters, type TextTally } from '../text-tally.ts';
import { hasLetter } from './cell-text.ts';
import { readXmlPart } from './part-stream.ts';
import { ChartNames } from './part-texts.ts';
import { type SheetSummary, shownInHeader } from './sheet-reader.ts';
import type { Workbook } from './workbook.ts';

/** The kinds of text that stay untranslated, each with its singular and plural name. */
const kinds = {
  comments: ['comment', 'comments'],
  shapes: ['text box or shape with text', 'text boxes and shapes with text'],
  diagrams: ['text in a diagram', 'texts in diagrams'],
  charts: ['text in a chart', 'texts in charts'],
  headersAndFooters: ['header or footer', 'headers and footers'],
  tips: ['tip of a link', 'tips of links'],
  pivotTables: ['pivot table', 'pivot tables'],
  otherSheets: ['dialog sheet or macro sheet', 'dialog sheets and macro sheets'],
  literalLists: ['dropdown list with fixed entries', 'dropdown lists with fixed entries'],
  controls: ['form control', 'form controls'],
  slicers: ['slicer or timeline', 'slicers and timelines'],
  alternativeTexts,
} as const;

type Kind = keyof typeof kinds;

/** The kinds with visible texts, each with the name of the reason for which they stay. */
const reasons: Partial<Record<Kind, string>> = {
  comments: 'comments',
  shapes: 'text_boxes',
  diagrams: 'diagrams',
  charts: 'charts',
  headersAndFooters: 'headers_and_footers',
  tips: 'tips',
  pivotTables: 'pivot_tables',
  literalLists: 'dropdown_lists',
  controls: 'form_fields',
  slicers: 'form_fields',
  alternativeTexts: 'alternative_texts',
};

/** The elements whose texts are counted, by the type of the part that contains them. Each element counts once. */
const counted: Record<string, { kind: Kind; element: string }> = {
  comments: { kind: 'comments', element: 'comment' },
  drawing: { kind: 'shapes', element: 'txBody' },
  chartUserShapes: { kind: 'shapes', element: 'txBody' },
  diagramData: { kind: 'diagrams', element: 't' },
  chart: { kind: 'charts', element: 'p' },
  chartEx: { kind: 'charts', element: 'p' },
};

/** The attributes with visible texts of slicers, timelines and pivot tables, by the type of the part and the element. */
const captions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  slicer: { slicer: ['caption'] },
  timeline: { timeline: ['caption'] },
  pivotTable: {
    pivotTableDefinition:
      'grandTotalCaption rowHeaderCaption colHeaderCaption dataCaption errorCaption missingCaption'.split(
        ' ',
      ),
    pivotField: ['name', 'subtotalCaption'],
    item: ['n'],
    dataField: ['name'],
  },
};

/** The parts of headers and footers of a chart sheet. */
const headerPart = /^(?:odd|even|first)(?:Header|Footer)$/;

/** Counts the texts of a workbook that are not in cells. They stay untranslated. */
export class KeptContent {
  readonly #counts = new Map<Kind, number>();
  /** For each kind, the number of visible characters. */
  readonly #characters = new Map<Kind, number>();
  /** The number of pivot tables whose fields have the names of header cells. These cells are translated. */
  #pivotsOfCells = 0;
  readonly #include: readonly Includable[];

  constructor(include: readonly Includable[] = []) {
    this.#include = include;
  }

  /**
   * Reads the parts with untranslated texts to which the sheets refer, directly or through another part.
   *
   * @param included the paths of parts whose texts are translated; they are not counted
   * @throws {FileError} `unreadable` or `too_large`
   */
  async read({ office, sheets }: Workbook, included: ReadonlySet<string> = new Set()): Promise<void> {
    const waiting = sheets.map(({ path }) => path);
    const seen = new Set(waiting);
    const caches = new Map<string, boolean>();
    for (const { type, path } of sheets)
      if (type === 'chartsheet') await this.#addChartSheet(office, path);
      else if (type !== 'worksheet') this.#add('otherSheets', 1);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
      for (const { type, target } of await office.relationships(path)) {
        // A pivot table has its own names and its own copy of the data, so it counts as untranslated. The cells that
        // display it are translated.
        if (type === 'pivotTable') {
          this.#add('pivotTables', 1);
          if (target !== undefined) await this.#addPivot(office, target, caches);
        }
        if (type === 'vmlDrawing' && target !== undefined && !seen.has(target)) {
          seen.add(target);
          await this.#addControls(office, target);
        }
        if (captions[type] && target !== undefined && !seen.has(target)) {
          seen.add(target);
          await this.#addCaptions(office, target, type);
        }
        const rule = counted[type];
        if (!rule || target === undefined || seen.has(target)) continue;
        seen.add(target);
        waiting.push(target);
        // Of a part with translated shapes, only the alternative texts stay.
        if (included.has(target) && rule.kind !== 'shapes') continue;
        await readXmlPart(office, target, this.#counter(rule.kind, included.has(target) ? '' : rule.element));
      }
  }

  /** Adds the texts in attributes of a part. Each pivot table counts once. */
  async #addCaptions(office: OfficePackage, path: string, type: string): Promise<void> {
    const kind = type === 'pivotTable' ? 'pivotTables' : 'slicers';
    await readXmlPart(office, path, {
      openTag: ({ local, attributes }) => {
        const texts = (captions[type]?.[local] ?? []).map((name) => attributes[name] ?? '').filter(hasLetter);
        for (const text of texts) this.#add(kind, kind === 'slicers' ? 1 : 0, countCharacters(text));
      },
    });
  }

  async #addChartSheet(office: OfficePackage, path: string): Promise<void> {
    let text: string | undefined;
    await readXmlPart(office, path, {
      openTag: ({ local }) => {
        if (headerPart.test(local)) text = '';
      },
      text: (more) => {
        if (text !== undefined) text += more;
      },
      closeTag: () => {
        const shown = shownInHeader(text ?? '');
        text = undefined;
        if (hasLetter(shown)) this.#add('headersAndFooters', 1, countCharacters(shown));
      },
    });
  }

  /** Adds the texts of buttons and other controls. Their part is often no well-formed XML. */
  async #addControls(office: OfficePackage, path: string): Promise<void> {
    const { source } = await office.readWhole(path);
    for (const shape of source.split('</x:ClientData>')) {
      // A note is a comment, which is counted by its own part.
      if (/ObjectType="(?:Note|Pict)"/.test(shape)) continue;
      const [box = ''] = /<v:textbox[\s>].*?<\/v:textbox>/s.exec(shape) ?? [];
      const text = box.replace(/<[^>]*>|&\w+;/g, ' ');
      if (hasLetter(text)) this.#add('controls', 1, countCharacters(text));
    }
  }

  /** @param caches the pivot caches that have already been read, each with whether it takes its data from cells */
  async #addPivot(office: OfficePackage, path: string, caches: Map<string, boolean>): Promise<void> {
    for (const { type, target } of await office.relationships(path)) {
      if (type !== 'pivotCacheDefinition' || target === undefined) continue;
      const isOfCells =
        caches.get(target) ?? (await isCacheOfCells(office, target, this.#include.includes('table_headers')));
      caches.set(target, isOfCells);
      if (isOfCells) this.#pivotsOfCells++;
    }
  }

  addSheet({ headersAndFooters, literalLists, tips }: SheetSummary): void {
    this.#add('headersAndFooters', headersAndFooters.texts, headersAndFooters.characters);
    this.#add('tips', tips.texts, tips.characters);
    this.#add('literalLists', literalLists.texts, literalLists.characters);
  }

  #add(kind: Kind, count: number, characters = 0): void {
    if (count + characters === 0) return;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#characters.set(kind, (this.#characters.get(kind) ?? 0) + characters);
  }

  /** Adds the counted texts to a tally. */
  tally(tally: TextTally): void {
    for (const [kind, reason] of Object.entries(reasons) as [Kind, string][]) {
      const texts = this.#counts.get(kind) ?? 0;
      const characters = this.#characters.get(kind) ?? 0;
      if (characters > 0) tally.keep(classOf('xlsx', reason), reason, characters, texts);
    }
  }

  /** Returns a reader that counts the elements with this name, and the own names of a chart, whose text has a letter. */
  #counter(kind: Kind, element: string): PositionedXmlEvents {
    let depth = 0;
    /**
     * The depths of the open element that is being counted and (`skippedAt`) of the open element that is skipped; 0 if
     * there is none.
     */
    let countedAt = 0;
    let skippedAt = 0;
    let hasText = false;
    let characters = 0;
    const names = kind === 'charts' ? new ChartNames() : undefined;
    return {
      openTag: (tag: XmlStartTag) => {
        const { local } = tag;
        depth++;
        const isName = names?.openTag(local) ?? false;
        // A `Fallback` element repeats a shape for programs that do not support its newer form.
        if (skippedAt === 0 && local === 'Fallback') skippedAt = depth;
        const alternatives = skippedAt === 0 && local === 'cNvPr' ? alternativeTextsOf(tag) : [];
        if (alternatives.length > 0) this.#add('alternativeTexts', 1, countCharacters(alternatives.join('')));
        if (countedAt > 0 || skippedAt > 0 || !(isName || local === element)) return;
        countedAt = depth;
        hasText = false;
        characters = 0;
      },
      closeTag: () => {
        names?.closeTag();
        if (depth === countedAt) {
          if (hasText) this.#add(kind, 1, characters);
          countedAt = 0;
        }
        if (depth === skippedAt) skippedAt = 0;
        depth--;
      },
      text: (text) => {
        names?.text(text);
        if (countedAt === 0 || skippedAt > 0) return;
        hasText ||= hasLetter(text);
        characters += countCharacters(text);
      },
    };
  }

  /** Returns one finding for each kind of text that was counted. */
  findings(): Finding[] {
    const findings = Object.entries(kinds).flatMap(([kind, names]): Finding[] => {
      const count = this.#counts.get(kind as Kind) ?? 0;
      if (count === 0) return [];
      const reason = reasons[kind as Kind] ?? '';
      const by = classOf('xlsx', reason) === 'kept' ? undefined : (reason as Includable);
      return [keptFinding(count, names, by)];
    });
    if (this.#pivotsOfCells > 0) findings.push(pivotsOfCells(this.#pivotsOfCells));
    return findings;
  }
}

/**
 * Returns the finding about pivot tables of translated cells. When Excel refreshes a pivot table, it finds the table's
 * fields by the headers of the source cells.
 */
function pivotsOfCells(count: number): Finding {
  const subject = count === 1 ? 'the fields of 1 pivot table' : `the fields of ${count} pivot tables`;
  const message = `${subject} have the names of cells that are translated; after a refresh in Excel, select these fields again`;
  return fileFinding('warning', 'unsupported_content_kept', message);
}

/**
 * Whether a pivot cache takes its data from a range of cells. An Excel Table is one only if its headers are translated.
 */
async function isCacheOfCells(
  office: OfficePackage,
  path: string,
  translatesHeaders: boolean,
): Promise<boolean> {
  let isOfCells = false;
  await readXmlPart(office, path, {
    openTag: ({ local, attributes }) => {
      if (local !== 'worksheetSource') return;
      const isExternal = Object.keys(attributes).some((name) => name.endsWith(':id'));
      isOfCells = (attributes['name'] === undefined || translatesHeaders) && !isExternal;
    },
  });
  return isOfCells;
}
