import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import type { PartEditor } from './part-stream.ts';
import { isSpreadsheet } from './workbook.ts';

/** The elements that the schema places before the views of a sheet. */
const beforeViews = new Set(['sheetPr', 'dimension']);

/** Changes the direction of a sheet: in a right-to-left sheet, column A is at the right. */
export function directionWriter(editor: PartEditor, change: 'rtl' | 'ltr'): PositionedXmlEvents {
  let depth = 0;
  let section = '';
  /** Whether the place of the views has been read. */
  let isPast = false;
  const openSection = ({ local, name, start }: XmlStartTag): void => {
    section = local;
    if (isPast || beforeViews.has(local)) return;
    isPast = true;
    if (local === 'sheetViews' || change === 'ltr') return;
    const prefix = name.slice(0, name.length - local.length);
    const view = `<${prefix}sheetView rightToLeft="1" workbookViewId="0"/>`;
    editor.replace(start, start, `<${prefix}sheetViews>${view}</${prefix}sheetViews>`);
  };
  const openView = ({ name, attributes, start, end }: XmlStartTag): void => {
    const source = editor.source(start, end);
    const plain = source.replace(/\srightToLeft\s*=\s*(?:"[^"]*"|'[^']*')/, '');
    const written = change === 'rtl' ? plain.replace(`<${name}`, `<${name} rightToLeft="1"`) : plain;
    if (attributes['rightToLeft'] === undefined && change === 'ltr') return;
    editor.replace(start, end, written);
  };
  return {
    openTag: (tag) => {
      depth++;
      if (depth === 2 && isSpreadsheet(tag)) openSection(tag);
      else if (depth === 3 && section === 'sheetViews' && tag.local === 'sheetView') openView(tag);
    },
    closeTag: () => {
      depth--;
    },
    text: () => {},
  };
}
