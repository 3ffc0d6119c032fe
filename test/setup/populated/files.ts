import { unzipSync, zipSync } from 'fflate';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { workbook } from '#test/factories/workbook.ts';
import { paragraph, run, wordFile } from '#test/formats/docx-file.ts';
import { fileOf } from '#test/formats/opendocument-file.ts';
import { at, madePdf } from '#test/formats/pdf-made.ts';
import { deckOf, shape, paragraph as slideParagraph, run as slideRun } from '#test/formats/pptx-file.ts';
import type { Prose } from './words.ts';

/** The bytes of a picture that no program can compress. */
const pictureBytes = 5_500_000;

const lines = ({ sentence }: Prose, count = 25) => Array.from({ length: count }, () => sentence());

/** Makes a file of each format with some dozen texts. */
export const makers: Record<LayoutKind, (words: Prose) => Uint8Array | string | Promise<Uint8Array>> = {
  pdf: (words) =>
    madePdf(
      ...Array.from({ length: 4 }, () => ({
        content: lines(words, 12)
          .map((text, line) => at(40, 360 - 28 * line, text.slice(0, 60)))
          .join(''),
      })),
    ),
  docx: (words) =>
    wordFile(
      lines(words, 60)
        .map((text) => paragraph(run(text)))
        .join(''),
    ),
  xlsx: (words) => workbook(...lines(words, 80)),
  pptx: (words) =>
    deckOf({
      slides: lines(words, 8).map((text) => ({
        shapes: shape(slideParagraph(slideRun(text)) + slideParagraph(slideRun(words.sentence()))),
      })),
    }),
  odt: (words) =>
    fileOf({
      body: lines(words)
        .map((text) => `<text:p>${text}</text:p>`)
        .join(''),
    }),
  ods: (words) =>
    fileOf({
      kind: 'spreadsheet',
      body: `<table:table table:name="Prices">${lines(words)
        .map(
          (text) =>
            `<table:table-row><table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell></table:table-row>`,
        )
        .join('')}</table:table>`,
    }),
  odp: (words) =>
    fileOf({
      kind: 'presentation',
      body: lines(words, 6)
        .map(
          (text) =>
            `<draw:page draw:name="page"><draw:frame svg:width="20cm" svg:height="4cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
        )
        .join(''),
    }),
  json: (words) => JSON.stringify({ menu: Object.fromEntries(keyed(words)) }, null, 2),
  yaml: (words) =>
    `en:\n${keyed(words)
      .map(([key, text]) => `  ${key}: "${text}"`)
      .join('\n')}\n`,
  po: (words) =>
    keyed(words)
      .map(([key, text]) => `#. ${key}\nmsgid "${text}"\nmsgstr ""\n`)
      .join('\n'),
  properties: (words) =>
    `${keyed(words)
      .map(([key, text]) => `${key}=${text}`)
      .join('\n')}\n`,
  srt: (words) =>
    lines(words)
      .map((text, n) => `${n + 1}\n${cue(n, ',')}\n${text}\n`)
      .join('\n'),
  vtt: (words) =>
    `WEBVTT\n\n${lines(words)
      .map((text, n) => `${cue(n, '.')}\n${text}\n`)
      .join('\n')}`,
  android: (words) =>
    `<?xml version="1.0" encoding="utf-8"?>\n<resources>\n${keyed(words)
      .map(([key, text]) => `    <string name="${key}">${text}</string>`)
      .join('\n')}\n</resources>\n`,
  strings: (words) =>
    keyed(words)
      .map(([key, text]) => `/* ${key} */\n"${key}" = "${text}";\n`)
      .join('\n'),
  stringsdict: (words) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n${keyed(words)
      .map(
        ([key, text]) =>
          `<key>${key}</key><dict><key>NSStringLocalizedFormatKey</key><string>${text}</string></dict>`,
      )
      .join('\n')}\n</dict>\n</plist>\n`,
  xcstrings: (words) =>
    JSON.stringify({
      sourceLanguage: 'en',
      strings: Object.fromEntries(keyed(words).map(([, text]) => [text, {}])),
      version: '1.0',
    }),
  xliff: (words) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de" datatype="plaintext" original="a"><body>${keyed(
      words,
    )
      .map(([key, text]) => `<trans-unit id="${key}"><source>${text}</source></trans-unit>`)
      .join('\n')}</body></file></xliff>\n`,
  html: (words) =>
    `<!doctype html><html lang="en"><title>Manual</title><body>${lines(words)
      .map((text) => `<p>${text} <b>Note</b></p>`)
      .join('\n')}</body></html>`,
  md: (words) =>
    `# Manual\n\n${lines(words)
      .map((text) => `- ${text} **Note**`)
      .join('\n')}\n`,
  mdx: (words) =>
    `import Note from './note'\n\n# Manual\n\n${lines(words)
      .map((text) => `<Note>\n\n${text} {1 + 1}\n\n</Note>`)
      .join('\n\n')}\n`,
  txt: (words) => `${lines(words).join('\n')}\n`,
};

const keyed = (words: Prose) => lines(words).map((text, n): [string, string] => [`key_${n}`, text]);

const cue = (n: number, point: string) => {
  const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23).replace('.', point);
  return `${time(4 * n)} --> ${time(4 * n + 3)}`;
};

/** Files of some megabytes: with pictures, with many pages, and with texts of several hundred kilobytes. */
export const largeMakers: Record<string, (words: Prose) => Uint8Array | string | Promise<Uint8Array>> = {
  'catalog.docx': (words) => withPicture(corpusFile('docx/kitchen-sink.docx'), 'word/media/photo.png', words),
  'prices.xlsx': (words) =>
    withPicture(corpusFile('xlsx/tables-chart-pivot.xlsx'), 'xl/media/photo.png', words),
  'training.pptx': (words) =>
    withPicture(
      deckOf({ slides: [{ shapes: shape(slideParagraph(slideRun(words.sentence()))) }] }),
      'ppt/media/photo.png',
      words,
    ),
  'report.odt': (words) =>
    withPicture(fileOf({ body: `<text:p>${words.sentence()}</text:p>` }), 'Pictures/photo.png', words),
  'brochure.pdf': (words) => {
    const side = 1400;
    return madePdf({
      content: `q 200 0 0 200 100 20 cm /Photo Do Q ${at(40, 360, words.sentence(40))}`,
      resources: {
        XObject: {
          Photo: ({ context }) =>
            context.register(
              context.stream(noise(side * side * 3, words), {
                ...{ Type: 'XObject', Subtype: 'Image', Width: side, Height: side },
                ...{ ColorSpace: 'DeviceRGB', BitsPerComponent: 8 },
              }),
            ),
        },
      },
    });
  },
  'inventory.xlsx': (words) => {
    const texts = lines(words, 300);
    return workbook(...Array.from({ length: 6000 }, () => words.pick(texts)));
  },
  'novel.docx': (words) =>
    wordFile(
      [...lines(words, 100), ...Array.from({ length: 4 }, () => words.japanese(45_000))]
        .map((text) => paragraph(run(text)))
        .join(''),
    ),
};

/** Adds a picture to a file that is a ZIP archive. */
function withPicture(file: Uint8Array, name: string, words: Prose): Uint8Array {
  const entries = Object.entries(unzipSync(file)).map(
    // An OpenDocument file begins with its media type, which is not compressed.
    ([entry, bytes]) => [entry, [bytes, { level: entry === 'mimetype' ? 0 : 6 }]] as const,
  );
  return zipSync(Object.fromEntries([...entries, [name, [noise(pictureBytes, words), { level: 0 }]]]));
}

function noise(length: number, { random }: Prose): Uint8Array {
  const values = new Uint32Array(Math.ceil(length / 4));
  for (let at = 0; at < values.length; at++) values[at] = random() * 2 ** 32;
  return new Uint8Array(values.buffer).subarray(0, length);
}
