import { describe, expect, it } from 'vitest';
import * as json from '#server/formats/json.ts';
import * as properties from '#server/formats/properties.ts';
import * as yaml from '#server/formats/yaml.ts';
import { casesOf } from '../cases.ts';
import { eachString, translate } from '../markup-files.ts';

const formats = { arb: json, json, properties, yaml };
const french = eachString((text) => `L'eau: ${text}`);

describe('the apostrophes of messages, as their file quotes', () => {
  it.each<[keyof typeof formats, string, string]>(
    casesOf('quoting.yaml', 'the apostrophes of messages, as their file quotes'),
  )('%s %s', async (format, file, expected) => {
    expect(await translate(formats[format], file, french)).toBe(expected);
  });

  it('braces of a translation are quoted, or written as brackets where nothing quotes', async () => {
    const braces = eachString((text) => text.replace('Last', 'Last {y}'));
    expect(await translate(properties, "a=Last '{'0'}'", braces)).toBe("a=Last '{'y'}' '{'0'}'");
    expect(await translate(json, '{"@@locale":"en","a":"Last {x}"}', braces)).toBe(
      '{"@@locale":"en","a":"Last (y) {x}"}',
    );
  });
});
