import { unzipSync } from 'fflate';

/**
 * Reads workbooks with regular expressions, independently of the engine. It supports the XML that programs write, and
 * not all valid XML.
 */

/** A cell as written in a file. */
export interface WalkedCell {
  reference: string;
  /** The attributes as written, without the index of a shared string. */
  attributes: string;
  type: string;
  formula: string | undefined;
  /** The content of `<v>` as written. */
  value: string | undefined;
  /** The displayed text, for cells of the three text types. */
  text: string | undefined;
}

export interface WalkedSheet {
  name: string;
  sheetId: string;
  path: string;
  cells: WalkedCell[];
  /** Ranges of table headers. */
  headers: string[];
  /** Cells in totals rows whose text is also in the table, with that text. */
  totalsLabels: { reference: string; text: string }[];
  /** Ranges of pivot tables, which LibreOffice fills again. */
  pivots: string[];
  xml: string;
}

export interface WalkedWorkbook {
  sheets: WalkedSheet[];
  parts: Record<string, Uint8Array>;
  sharedPath: string | undefined;
  /** Each `<si>` element as written. */
  items: string[];
  strings: string[];
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array | undefined): string => decoder.decode(bytes);

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export function unescapeXml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) =>
      name ? entities[name]! : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
    );
}

/** Decodes the text of a cell from the escapes of Office. */
export function unescapeCell(text: string): string {
  return unescapeXml(text).replace(/_x([0-9A-F]{4})_/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The text of a shared string, without phonetic runs. */
export function itemText(item: string): string {
  const plain = item.replace(/<(\w+:)?rPh\b.*?<\/(\w+:)?rPh>/gs, '');
  return [...plain.matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<\/(?:\w+:)?t>/g)]
    .map(([, text]) => unescapeCell(text!))
    .join('');
}

export function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescapeXml(found);
}

/** The parts to which a part refers: ID, last word of the type, path. */
export function relationsOf(parts: Record<string, Uint8Array>, path: string): [string, string, string][] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const list = textOf(parts[`${folder}_rels/${path.slice(folder.length)}.rels`]);
  return [...list.matchAll(/<Relationship\b[^>]*>/g)].map(([tag]) => {
    const target = attribute(tag, 'Target')!;
    const base = target.startsWith('/') ? 'file:///' : `file:///${folder}`;
    const url = new URL(encodeURI(decodeURI(target)), base);
    const type = attribute(tag, 'Type')!;
    return [attribute(tag, 'Id')!, type.slice(type.lastIndexOf('/') + 1), decodeURI(url.pathname.slice(1))];
  });
}

export function walkWorkbook(bytes: Uint8Array): WalkedWorkbook {
  const parts = unzipSync(bytes);
  const main = relationsOf(parts, '').find(([, type]) => type === 'officeDocument')![2];
  const relations = relationsOf(parts, main);
  const sharedPath = relations.find(([, type]) => type === 'sharedStrings')?.[2];
  const items = textOf(sharedPath ? parts[sharedPath] : undefined).match(
    /<(\w+:)?si(?:\s[^>]*)?(?:\/>|>.*?<\/(\w+:)?si>)/gs,
  );
  const strings = (items ?? []).map(itemText);
  const sheets = [...textOf(parts[main]).matchAll(/<(?:\w+:)?sheet\s[^>]*>/g)].flatMap(([tag]) => {
    const [, type, path] = relations.find(([id]) => id === attribute(tag, '\\w+:id'))!;
    const name = attribute(tag, 'name')!;
    const sheetId = attribute(tag, 'sheetId')!;
    if (type !== 'worksheet')
      return [{ name, sheetId, path, cells: [], headers: [], totalsLabels: [], pivots: [], xml: '' }];
    const xml = textOf(parts[path]);
    const tables = relationsOf(parts, path)
      .filter(([, relation]) => relation === 'table')
      .map(([, , tablePath]) => textOf(parts[tablePath]));
    const headers = tables.flatMap((tableXml) => {
      const table = /<(?:\w+:)?table\s[^>]*>/.exec(tableXml)![0];
      if (attribute(table, 'headerRowCount') === '0') return [];
      const [from, to] = attribute(table, 'ref')!.split(':') as [string, string];
      return [`${from}:${to.replace(/\d+/, '')}${/\d+/.exec(from)![0]}`];
    });
    const pivots = relationsOf(parts, path)
      .filter(([, relation]) => relation === 'pivotTable')
      .map(([, , pivot]) => attribute(/<(?:\w+:)?location\s[^>]*>/.exec(textOf(parts[pivot]))![0], 'ref')!);
    return [
      {
        name,
        sheetId,
        path,
        cells: cellsOf(xml, strings),
        headers,
        totalsLabels: tables.flatMap(totalsLabelsOf),
        pivots,
        xml,
      },
    ];
  });
  return { sheets, parts, sharedPath, items: items ?? [], strings };
}

function totalsLabelsOf(tableXml: string): WalkedSheet['totalsLabels'] {
  const [from, to] = attribute(/<(?:\w+:)?table\s[^>]*>/.exec(tableXml)![0], 'ref')!.split(':') as [
    string,
    string,
  ];
  const [, left] = positionOf(from);
  const [bottom] = positionOf(to);
  return [...tableXml.matchAll(/<(?:\w+:)?tableColumn\s[^>]*>/g)].flatMap(([tag], index) => {
    const label = attribute(tag, 'totalsRowLabel');
    if (label === undefined) return [];
    // This is sufficient for the files of the corpus, whose tables are in the first 26 columns.
    return [{ reference: `${String.fromCharCode(64 + left + index)}${bottom}`, text: unescapeCell(label) }];
  });
}

function cellsOf(xml: string, strings: string[]): WalkedCell[] {
  return [...xml.matchAll(/<(?:\w+:)?c(\s[^>]*?)?(?:\/>|>(.*?)<\/(?:\w+:)?c>)/gs)].map(
    ([, attributes = '', content = '']) => {
      const type = attribute(attributes, 't') ?? 'n';
      const value = /<(?:\w+:)?v(?:\s[^>]*)?>(.*?)<\/(?:\w+:)?v>/s.exec(content)?.[1];
      const formula = /<(?:\w+:)?f\b.*?(?:\/>|<\/(?:\w+:)?f>)/s.exec(content)?.[0];
      const text =
        type === 's'
          ? strings[Number(value)]
          : type === 'inlineStr'
            ? itemText(content)
            : type === 'str'
              ? unescapeCell(value ?? '')
              : undefined;
      return { reference: attribute(attributes, 'r')!, attributes, type, formula, value, text };
    },
  );
}

/** The row and column of a reference, both from 1. */
export function positionOf(reference: string): [row: number, column: number] {
  const [, letters = '', digits = ''] = /^([A-Z]+)(\d+)$/.exec(reference)!;
  return [Number(digits), [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)];
}

export function isWithin(reference: string, range: string): boolean {
  const [row, column] = positionOf(reference);
  const [from, to = from] = range.split(':') as [string, string?];
  const [top, left] = positionOf(from);
  const [bottom, right] = positionOf(to!);
  return top <= row && row <= bottom && left <= column && column <= right;
}

/** The cells whose text is translated. */
export function translatableCells({ cells, headers, xml }: WalkedSheet): WalkedCell[] {
  const results = [...xml.matchAll(/<(?:\w+:)?f\s[^>]*t="(?:array|dataTable)"[^>]*>/g)].map(
    ([tag]) => attribute(tag, 'ref')!,
  );
  return cells.filter(
    ({ formula, text, reference }) =>
      formula === undefined &&
      text !== undefined &&
      /\p{L}/u.test(text) &&
      ![...headers, ...results].some((range) => isWithin(reference, range)),
  );
}

/** The XML of a sheet without what a translation may change: indexes of shared strings, and texts in cells. */
function withoutTexts({ xml }: WalkedSheet): string {
  return xml.replace(
    /(<(?:\w+:)?c(?:\s[^>]*)?(?<!\/)>)(.*?)(<\/(?:\w+:)?c>)/gs,
    (cell, tag, content, end) => {
      if (/<(?:\w+:)?f\b/.test(content)) return cell;
      const type = /\st="(\w+)"/.exec(tag)?.[1];
      if (type === 's' || type === 'str') return tag + content.replace(/>[^<]*<\/(\w+:)?v>/, '>…</v>') + end;
      return type === 'inlineStr' ? `${tag}…${end}` : cell;
    },
  );
}

/** The XML of a sheet without its texts and the sizes of its rows and columns, which grow with the texts. */
export function withoutTextsAndSizes(sheet: WalkedSheet): string {
  return withoutTexts(sheet)
    .replace(/<(\w+:)?cols>.*<\/\1?cols>/s, '')
    .replace(/<(?:\w+:)?pageSetup scale="\d+"\/>|(?<=<(?:\w+:)?pageSetup[^>]*) scale="\d+"/, '')
    .replaceAll(/ ht="[^"]*"/g, '');
}

/** The texts of the cells in a LibreOffice file. White space is removed, because the file contains it as elements. */
function shownTexts(fods: string): Set<string> {
  const cells = fods.matchAll(
    /<table:(?:covered-)?table-cell\b[^>]*(?<!\/)>(.*?)<\/table:(?:covered-)?table-cell>/gs,
  );
  return new Set(
    [...cells].map(([, content]) =>
      unescapeXml(content!.replace(/<office:annotation\b.*?<\/office:annotation>|<[^>]*>|\s+/gs, '')),
    ),
  );
}

/** The translatable texts of a workbook that are missing after LibreOffice has saved it as `fods`. */
export function textsNotShown(bytes: Uint8Array, fods: string): string[] {
  const shown = shownTexts(fods);
  return walkWorkbook(bytes)
    .sheets.flatMap((sheet) =>
      translatableCells(sheet)
        .filter(({ reference }) => !sheet.pivots.some((range) => isWithin(reference, range)))
        .map(({ text }) => text!.replace(/\s+/g, '')),
    )
    .filter((text) => !shown.has(text));
}
