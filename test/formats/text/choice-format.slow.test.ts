import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readChoices } from '#server/formats/messages/choice-format.ts';

const program = `import java.text.MessageFormat;
public class Show {
  public static void main(String[] patterns) throws Exception {
    var out = new java.io.PrintStream(System.out, true, "UTF-8");
    for (String pattern : patterns)
      for (int number = 0; number < 3; number++)
        out.println(MessageFormat.format(new String(java.util.Base64.getDecoder().decode(pattern), "UTF-8"), number, "y"));
  }
}`;

test('Java shows translations of a choice with signs of its syntax as they are', async () => {
  const translations = ["l'eau | # < ≤", "l'''eau {0} | {x} #'", '{', "'}|{0}'", "{0}{1}'", "|'#'|"];
  const message = readChoices("L''eau {0,choice,0#a {0}|1#b {0} {1}|1<c}")!;
  const directory = await mkdtemp(join(tmpdir(), 'choice-'));
  try {
    await writeFile(join(directory, 'Show.java'), program);
    const patterns = translations.map((one) =>
      Buffer.from(message.write([one, one, one])).toString('base64'),
    );
    const shown = execFileSync('java', [join(directory, 'Show.java'), ...patterns], { encoding: 'utf8' });
    // An argument that a source lacks is text.
    const expected = translations.flatMap((one) =>
      [0, 1, 2].map((number) => {
        const known = number < 2 ? one.replaceAll('{0}', String(number)) : one;
        return number === 1 ? known.replaceAll('{1}', 'y') : known;
      }),
    );
    expect(shown.trimEnd().split('\n')).toEqual(expected);
  } finally {
    await rm(directory, { recursive: true });
  }
});
