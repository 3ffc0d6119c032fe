import { expect, test } from 'vitest';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { type Row, testRows } from './relatives.ts';
import { textsOf } from './text/texts.ts';

/* Faults of files that were drawn at random from public repositories (`test/fidelity/text-strangers.tsv`), and their relatives. */

const rows: readonly Row[] = [
  {
    kind: 'HTML in Markdown',
    cells: [
      [
        'md',
        '<p align="center">\n  A <b>small</b>\n  tool &amp; more, by {{ site.name }}\n</p>\n\nText\n',
        '<p align="center">\n  [A <b>small</b> tool &amp; more, by {{ site.name }}]\n</p>\n\n\\[Text]\n',
      ],
      [
        'md',
        '<details>\n<summary>More</summary>\n\nSome *text*\n\n</details>\n',
        '<details>\n<summary>[More]</summary>\n\n\\[Some *text*]\n\n</details>\n',
      ],
      [
        'md',
        '<table>\n<tr><td>Left</td><td><img alt="A wall" src="a.png"> and text</td></tr>\n</table>\n',
        '<table>\n<tr><td>[Left]</td><td><img alt="[A wall]" src="a.png"> [and text]</td></tr>\n</table>\n',
      ],
      ['md', '- A b\n  <div>C d\n  e</div>\n', '- \\[A b]\n  <div>[C d e]</div>\n'],
      // A quote has signs in its lines, and other blocks have Markdown or expressions.
      ['md', '> <div>A b\n> c</div>\n', '> <div>A b\n> c</div>\n'],
      ['md', '<div markdown="1">\n- A b\n- c\n</div>\n', '<div markdown="1">\n- A b\n- c\n</div>\n'],
      ['md', '<script>\nlet a = "A b";\n</script>\n', '<script>\nlet a = "A b";\n</script>\n'],
      ['md', '<p lang="de">Guten Tag</p>\n', '<p lang="de">Guten Tag</p>\n'],
    ],
  },
  {
    kind: 'a line end in a translation of HTML in Markdown',
    translation: 'one\n\ntwo',
    cells: [['md', '<div>\nText\n</div>\n', '<div>\none two\n</div>\n']],
  },
  {
    kind: 'a component in a file that is not valid MDX',
    cells: [
      [
        'mdx',
        "Less <5\n\n<Tabs items={['Open it', 'x > y']} title=\"My own\">\nA **b**\n</Tabs>\n",
        "\\[Less &lt;5]\n\n<Tabs items={['Open it', 'x > y']} title=\"[My own]\">\n\\[A **b**]\n</Tabs>\n",
      ],
      ['md', 'Say <T at={1 > 2}/> it <5\n', '\\[Say <T at={1 > 2}/> it &lt;5]\n'],
    ],
  },
  {
    kind: 'a program in a block of a template',
    cells: [
      [
        'html',
        '{% block extra_style %}\nul.a {\n  color: red;\n}\n{% endblock %}<p>A b</p>',
        '{% block extra_style %}\nul.a {\n  color: red;\n}\n{% endblock %}<p>[A b]</p>',
      ],
      [
        'html',
        '{{#block}}\n@media print { a, b > c { color: {{ x }}; } }\n{{/block}}{% block description %}A b;{% endblock %}',
        '{{#block}}\n@media print { a, b > c { color: {{ x }}; } }\n{{/block}}{% block description %}[A b;]{% endblock %}',
      ],
      ['html', '{%- block page_js -%} run("A b"); {%- endblock -%}', { texts: [] }],
      ['html', '{% stylesheet %} a { b: c } {% endstylesheet %}', { texts: [] }],
      ['html', '<p>Use the form {a: b} here</p>', { texts: ['Use the form {a: b} here'] }],
    ],
  },
  {
    kind: 'a name in braces and apostrophes',
    cells: [
      [
        'json',
        `{"a": "Chosen: '{value}'", "b": "{n, plural, one {'{x}' has # car} other {'{x}' has # cars}}", "c": "It's"}`,
        `{"a": "[Chosen: '{value}']", "b": "{n, plural, one {['{x}' has # car]} many {['{x}' has # cars]} other {['{x}' has # cars]}}", "c": "[It's]"}`,
      ],
    ],
  },
  {
    kind: 'a conditional comment in another language',
    cells: [
      [
        'html',
        '<p>A b</p><!--[if mso]><p lang="de">Guten Tag</p><![endif]-->',
        '<p>[A b]</p><!--[if mso]><p lang="de">Guten Tag</p><![endif]-->',
      ],
    ],
  },
];

testRows(rows);

test.each<[kind: LayoutKind, file: string, kept: [reason: string, characters: number][]]>([
  ['html', '<p>A b</p><div lang="de" title="Ein Bild"><img alt="Wand"></div>', [['other_language', 11]]],
  ['html', '<p>A b</p><img translate="no" alt="Acme">', [['identifier', 4]]],
  [
    'html',
    '<p>{% trans "Sign in" %} {{ \'Add to cart\' | t }} {# "A b c" #} {% url "a" %}</p>',
    [['code', 15]],
  ],
  ['md', 'A {{ "Sign in" | t }} b\n', [['code', 6]]],
  ['md', 'Less <5\n\n<Tabs items={["Open", "x > y"]}>\n', [['code', 7]]],
])('%s %s: what stays is counted', async (kind, file, kept) => {
  const { outcome } = await textsOf(kind, file).extract();
  expect(outcome!.kept.map(({ reason, characters }) => [reason, characters])).toEqual(kept);
  expect(outcome!.unaccounted).toBe(0);
});
