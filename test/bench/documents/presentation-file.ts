import { zipOf } from '#test/formats/flatten-zip.ts';
import { deckFiles, paragraph, run, shape } from '#test/formats/pptx-file.ts';
import { seededRandom } from '../seeded-random.ts';
import { inventWords } from './sentences.ts';

const types = 'application/vnd.openxmlformats-officedocument.presentationml';

/**
 * A presentation. Each slide has a title, ten paragraphs with bold words, and a table of 20 cells.
 */
export function textSlides(slides: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(slides);
  const invent = (count: number) => inventWords(count, random);
  const item = () => paragraph(run(`${invent(8)} `), run(invent(2), ' b="1"'), run(` ${invent(3)}`));
  const cell = () =>
    `<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>${paragraph(run(invent(3)))}</a:txBody><a:tcPr/></a:tc>`;
  const row = () => `<a:tr h="300000">${Array.from({ length: 4 }, cell).join('')}</a:tr>`;
  const table = () =>
    '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="x"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>' +
    '<p:xfrm><a:off x="500000" y="4500000"/><a:ext cx="8000000" cy="1500000"/></p:xfrm><a:graphic>' +
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr/>' +
    `<a:tblGrid>${'<a:gridCol w="2000000"/>'.repeat(4)}</a:tblGrid>${Array.from({ length: 5 }, row).join('')}` +
    '</a:tbl></a:graphicData></a:graphic></p:graphicFrame>';
  const slide = () => ({
    shapes:
      shape(paragraph(run(invent(5))), { frame: [40, 20, 640, 60] }) +
      shape(Array.from({ length: 10 }, item).join(''), { frame: [40, 90, 640, 250] }) +
      table(),
  });
  const files = deckFiles({ slides: Array.from({ length: slides }, slide) });
  const override = (name: string) => {
    const [, kind = ''] = /(?:slides|slideLayouts|slideMasters)\/(\D+)\d+\.xml$/.exec(name) ?? [];
    return kind ? `<Override PartName="/${name}" ContentType="${types}.${kind}+xml"/>` : '';
  };
  return new Uint8Array(
    zipOf({
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/ppt/presentation.xml" ContentType="${types}.presentation.main+xml"/>` +
        `${Object.keys(files).map(override).join('')}</Types>`,
      ...files,
    }),
  );
}
