import { expect, test } from 'vitest';
import { layoutFormats } from '#server/formats/layout-formats.ts';

const key = 'k'.repeat(200_000);
const texts = Array.from({ length: 1000 }, (_, at) => [`a${at}`, `Text ${at}`] as const);
const pairs = texts.map(([name, text]) => `<key>${name}</key><string>${text}</string>`).join('');

test.each([
  ['json', JSON.stringify({ [key]: Object.fromEntries(texts) }, null, 1)],
  ['yaml', `? "${key}"\n:\n${texts.map(([name, text]) => `  ${name}: ${text}\n`).join('')}`],
  [
    'stringsdict',
    `<plist><dict>\n<key>${key}</key><dict><key>NSStringDeviceSpecificRuleType</key><dict>${pairs}</dict></dict></dict></plist>`,
  ],
] as const)(
  '%s: a long key above many texts is rejected, because each text repeats it',
  async (kind, file) => {
    const format = await layoutFormats[kind]();
    for (const read of [format.check, format.extract])
      await expect(read(Buffer.from(file))).rejects.toThrow(
        /^line \d+: the keys above this text are too long/,
      );
  },
);
