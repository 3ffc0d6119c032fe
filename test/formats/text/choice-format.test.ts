import { expect, test } from 'vitest';
import { readChoices } from '#server/formats/messages/choice-format.ts';

test('the ranges and the apostrophes of options stay, and so do the texts around a choice', () => {
  for (const message of [
    '{0,choice,0#nothing|1#one}',
    "{0, choice, 0#it''s none|1#it''s one|1<{0} of ''''em}",
    "{0,choice,0#a '|' b|1#'#'1|1<{0} '<' c}",
  ]) {
    const read = readChoices(message)!;
    expect(read.write(read.texts.map(({ text }) => text))).toBe(message);
  }
  const around = readChoices("It''s {0,choice,0#a|1#{0} of b}, it''s")!;
  expect(around.texts.map(({ text }) => text)).toEqual(["It's a, it's", "It's {0} of b, it's"]);
  expect(around.write(["C'est a", "C'est {0}"])).toBe("{0,choice,0#C''est a|1#C''''est {0}}");
});

test('choices within choices, and quoted braces, are not read', () => {
  expect(readChoices("{0,choice,0#a '{x}'|1#b}")).toBeNull();
  expect(readChoices('{0,choice,0#{1,choice,0#a|1#b}|1#c}')).toBeNull();
  expect(readChoices('the {0,choice} of {1}')).toBeNull();
});
