import { readFileSync, writeFileSync } from 'node:fs';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { type Rectangle, transformRectangle } from '#server/formats/pdf/geometry.ts';
import { groupsOf } from '#server/formats/pdf/model/groups.ts';
import { PageModel } from '#server/formats/pdf/model/page-model.ts';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import { renderPage } from '../eye/pictures.ts';
import { drawFrame, writePng } from '../eye/png.ts';
import { hasPoppler } from '../eye/poppler.ts';

const resolution = 110;
const colors = {
  column: [0, 90, 220],
  group: [220, 120, 0],
  alone: [120, 120, 120],
  mark: [200, 0, 120],
  kept: [0, 150, 60],
} as const;

/**
 * Runs `npm run inspect-pdf FILE PAGE`. Writes what the program believes about a page: a list of its columns, groups and
 * other texts, and a picture with frames around them. Blue frames are columns of texts that move together, orange ones
 * are texts with a common size, pink ones are bullets, rules and lines that move with a text, and green ones are texts
 * that are not translated.
 */
async function inspect(path: string, number: number): Promise<void> {
  const pdf = await openPdf(await normalize(readFileSync(path)));
  const page = await pdf.readPage(number);
  const { blocks, kept } = findBlocks(page);
  const items = blocks.map((block) => ({ block, target: block.content }));
  const model = new PageModel(page, items, { sourceLanguage: 'en', targetLanguage: 'en' }, kept);
  const texts = new Map(blocks.map(({ id, content }) => [id, plainText(content)]));
  const frames: { box: Rectangle; color: readonly [number, number, number]; wide: number }[] = [];
  const print = (name: string, ids: readonly string[]): void =>
    console.log(
      [name, ...ids.map((id) => `  ${id} ${model.labels.get(id)?.text ?? ''} ${texts.get(id)}`)].join('\n'),
    );
  for (const direction of model.directions) {
    const { columns } = model.regions(direction, true);
    const draw = (box: Rectangle, color: keyof typeof colors, wide = 0): void => {
      frames.push({ box: transformRectangle(direction.rotation.toPage, box), color: colors[color], wide });
    };
    const flowing = columns.filter(({ length }) => length > 1);
    for (const column of flowing) {
      print(
        'column',
        column.map(({ id }) => id),
      );
      for (const { box } of column) draw(box, 'column');
      const boxes = column.map(({ box }) => box);
      draw(
        {
          left: Math.min(...boxes.map(({ left }) => left)),
          right: Math.max(...boxes.map(({ right }) => right)),
          bottom: Math.min(...boxes.map(({ bottom }) => bottom)),
          top: Math.max(...boxes.map(({ top }) => top)),
        },
        'column',
        2,
      );
    }
    for (const group of groupsOf(columns.filter(({ length }) => length === 1).flat())) {
      print(
        group.length > 1 ? 'group' : 'alone',
        group.map(({ id }) => id),
      );
      for (const { box } of group) draw(box, group.length > 1 ? 'group' : 'alone');
    }
    for (const marks of direction.marks.values()) for (const { box } of marks) draw(box, 'mark');
  }
  for (const { box } of kept) frames.push({ box, color: colors.kept, wide: 0 });
  await pdf.close();
  if (!hasPoppler) {
    console.warn('no picture: poppler-utils is not installed');
    return;
  }
  const picture = renderPage(path, number, resolution);
  const scale = resolution / 72;
  for (const { box, color, wide } of frames) {
    const [left, right] = [box.left - page.box.left, box.right - page.box.left].map((x) => x * scale);
    const [top, bottom] = [page.box.top - box.top, page.box.top - box.bottom].map((y) => y * scale);
    for (let by = 0; by <= wide; by++)
      drawFrame(picture, [left! - by, top! - by, right! + by, bottom! + by], color);
  }
  const output = `inspected-page-${number}.png`;
  writeFileSync(output, writePng(picture));
  console.log(`picture: ${output}`);
}

const [path, page = '1'] = process.argv.slice(2);
if (path) await inspect(path, Number(page));
else console.error('usage: npm run inspect-pdf FILE PAGE');
