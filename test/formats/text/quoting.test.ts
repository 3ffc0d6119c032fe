import { describe, expect, it } from 'vitest';
import * as json from '#server/formats/json.ts';
import * as properties from '#server/formats/properties.ts';
import * as yaml from '#server/formats/yaml.ts';
import { eachString, translate } from '../markup-files.ts';

const formats = { arb: json, json, properties, yaml };
const french = eachString((text) => `L'eau: ${text}`);

describe('the apostrophes of messages, as their file quotes', () => {
  it.each<[keyof typeof formats, string, string]>([
    ['properties', "a=Use '{'0'}' for {0}", "a=L''eau: Use '{0}' for {0}"],
    ['properties', "a=It''s {0}\nb=It's", "a=L''eau: It''s {0}\nb=L'eau: It's"],
    ['properties', "a=It''s {0}\nb=It''s", "a=L''eau: It''s {0}\nb=L''eau: It''s"],
    ['properties', "a=It's {0}", "a=L'eau: It's {0}"],
    ['properties', "a='{1}' of {0}", "a=L'eau: '{1}' of {0}"],
    ['properties', "a=Don''t\nb='{1}' of {0}", "a=L''eau: Don''t\nb=L''eau: '{'1'}' of {0}"],
    [
      'properties',
      "a=It''s {0,choice,0#no file|1#one '{file}'}",
      "a=L''eau: It''s {0,choice,0#no file|1#one '{file}'}",
    ],
    [
      'arb',
      `{"@@locale":"en","a":"It''s {x}","b":"Last"}`,
      `{"@@locale":"en","a":"L''eau: It''s {x}","b":"L''eau: Last"}`,
    ],
    ['arb', `{"@@locale":"en","a":"'{'x'}' is"}`, `{"@@locale":"en","a":"L''eau: '{'x'}' is"}`],
    ['arb', `{"@@locale":"en","a":"It's '{x}'"}`, `{"@@locale":"en","a":"L'eau: It's '{x}'"}`],
    [
      'arb',
      `{"@@locale":"en","a":"{n, plural, other{It's '{n}'}}"}`,
      `{"@@locale":"en","a":"{n, plural, one {L'eau: It's '{n}'} other {L'eau: It's '{n}'}}"}`,
    ],
    ['json', `{"a":"Use '{'x'}' for {x}","b":"It's"}`, `{"a":"L'eau: Use '{x}' for {x}","b":"L'eau: It's"}`],
    ['json', `{"a":"It's {x}"}`, `{"a":"L'eau: It's {x}"}`],
    [
      'properties',
      "a=It''s {0}|[1,*] It''s '{1}' of {0}",
      "a=L''eau: It''s {0}|[1,*] L''eau: It''s '{'1'}' of {0}",
    ],
    [
      'properties',
      "a='{0}' is {0,choice,0#no|1#{0} file}",
      "a={0,choice,0#L''''eau: '''{'''0'''}''' is no|1#L''''eau: '''{'''0'''}''' is {0} file}",
    ],
    ['yaml', `a: "It''s {x}"`, `a: "L''eau: It''s {x}"`],
  ])('%s %s', async (format, file, expected) => {
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
