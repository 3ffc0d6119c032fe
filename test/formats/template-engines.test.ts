import { createRequire } from 'node:module';
import { parseTemplate } from '@angular/compiler';
import Handlebars from 'handlebars';
import { Liquid, Tokenizer } from 'liquidjs';
import { describe, expect, it } from 'vitest';
import * as html from '#server/formats/html-document.ts';
import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import * as markdown from '#server/formats/markdown.ts';
import { marked, translate } from './markup-files.ts';

/** These libraries have no types. */
const load = createRequire(import.meta.url);
const Mustache = load('mustache') as { parse(template: string): unknown[][] };
const nunjucks = load('nunjucks') as {
  parser: { parse(template: string): unknown };
  precompileString(template: string, options: { name: string }): string;
};

/*
 * The code of a template, as the library of its language reads it, stays in a translation: everything but the texts. Each
 * function returns this code, and throws an error if the template does not compile.
 */

/** Returns what a parser has read, without positions and without the values of these types of nodes. */
function treeWithout(texts: readonly string[], positions: RegExp, tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value) => {
      if (positions.test(key)) return undefined;
      const type: unknown = value?.type ?? value?.typename ?? value?.constructor?.name;
      return texts.includes(String(type)) ? `${type}` : value;
    }),
  );
}

const engines = {
  angular(template: string) {
    const { nodes, errors } = parseTemplate(template, 'a.html', { preserveWhitespaces: true });
    expect(errors).toBe(null);
    const texts = ['Text', 'TextAttribute'];
    return treeWithout(texts, /span$|^(?:location|source|i18n|strings)$/i, nodes);
  },
  handlebars(template: string) {
    Handlebars.precompile(template);
    return treeWithout(['ContentStatement'], /^loc$/, Handlebars.parse(template));
  },
  mustache(template: string) {
    const read = (tokens: unknown[][]): unknown[] =>
      tokens.flatMap(([type, value, , , inside]) => [
        ...(type === 'text' ? [] : [`${type} ${value}`]),
        ...(Array.isArray(inside) ? read(inside) : []),
      ]);
    return read(Mustache.parse(template));
  },
  liquid(template: string) {
    new Liquid().parse(template);
    const tokens = new Tokenizer(template).readTopLevelTokens();
    return tokens.map((token) => token.getText()).filter((text) => text.startsWith('{'));
  },
  nunjucks(template: string) {
    nunjucks.precompileString(template, { name: 'a' });
    return treeWithout(['TemplateData'], /^(?:lineno|colno|parent)$/, nunjucks.parser.parse(template));
  },
};

const templates: Record<keyof typeof engines, string[]> = {
  angular: [
    '@if (count > 0 && ok) { <p>You have {{ count }} keys.</p> } @else if (a; as b) { No {{ b }} } @else { None }',
    '@for (key of keys; track key.id; let i = $index) { <li>{{ i }} of {{ keys.length }} keys</li> } @empty { Nothing }',
    "@switch (state) { @case ('open') { Open } @case (')') { Closed } @default { <b>Unknown</b> } }",
    '@defer (on viewport; prefetch on idle) { <app-map /> } @placeholder (minimum 500ms) { Map } @loading { Wait } @error { Failed }',
    '@let total = keys.length + ";".length; <p>Total: {{ total < 5 ? "few" : total }}</p>',
    '<p>Write to info&#64;example.org, &commat;garden, &#123;&#123; name &#125;&#125; or &lcub;x&rcub;</p>',
    "<p>Braces {{ '{' }} and {{ '}' }} and {{ {a: 1, b: {c: 2} } | json }} are shown</p>",
    '<p>{n, plural, =0 {no keys} =1 {one key} other {{{ n }} keys}}</p>',
    '@if (a) { Hello {n, plural, =1 {one} other {many}} } after',
    '<button (click)="open({id: 1})" [title]="t" title="Open {{ name }}">Open @if (a) { now }</button>',
    '<ng-container *ngIf="a < 1; else b">Hi &#64;{{ user }}</ng-container><ng-template #b>No &#125;</ng-template>',
    '@if (a) { @if (b) { <i title="Say &#123;x&#125;">One</i> } tail } <!-- @if (x) { --> <script>if (a) { }</script>',
  ],
  handlebars: [
    '<p>Hello {{{name}}}, your order {{number}} is ready.</p>',
    '<title>Mail for {{{ name }}}</title><a href="{{{ unsubscribe }}}" title="Leave {{{list}}}">Stop</a>',
    '<p>{{#if a}}Yes {{b}}{{else if c}}Maybe{{else}}No{{/if}}</p>',
    '{{#each items as |item i|}}<li>{{i}}: {{{item.html}}} now</li>{{/each}}',
    '<p>{{> header title="A b"}} Text {{#> layout}}inner{{/layout}}</p>',
    '<p>{{!-- a comment with {{x}} and <b> --}}Shown{{! short }}</p>',
    '<p>{{{{raw}}}} show {{x}} as it is {{{{/raw}}}} after</p>',
    '<p>Literal \\{{name}} and live \\\\{{name}} here</p>',
    '<p>Hi {{~name~}} and {{&raw}} with {{t "it\'s <b>" n=1}} end</p>',
    '<p>Shown &#123;&#123; name }} and live {{ name }}</p>',
    '<img alt="Photo of {{{name}}}" src="{{{url}}}"> by {{lookup (helper a "}}") 1}} there',
    '{{#unless a}}<b>None {{../b}}</b>{{^}}Some{{/unless}} {{#with c}}{{this.[a b]}} is here{{/with}}',
  ],
  mustache: [
    '<p>Hello {{{name}}}, {{number}} is ready</p>',
    '<p>{{&name}} and {{ name }} are here</p>',
    '{{#items}}<li>{{.}} now</li>{{/items}}{{^items}}None{{/items}}',
    '<p>{{> footer }} End</p>',
    '<p>{{! a comment }}Shown</p>',
    '<a title="Leave {{{list}}}" href="{{{url}}}">Go to {{{place}}}</a>',
    '<p>{{#a}}Yes {{#b}}both{{/b}} end{{/a}} tail</p>',
    '<td>{{a}}{{{b}}}{{c}} total</td>',
    '<p>&#123;&#123;name&#125;&#125; is replaced by {{name}}</p>',
    '<h1>{{ user.name }}&apos;s page</h1>',
    '<option value="{{v}}" {{#s}}selected{{/s}}>Item {{v}}</option>',
    'Plain {{{text}}} only',
  ],
  liquid: [
    '<p>Hello {{ name | default: "}}" }}</p>',
    "<p>{{ text | replace: '<p>', '' }} is clean</p>",
    '{% if a > 1 and b < 2 %}Many{% elsif c %}Some{% else %}None{% endif %}',
    '{%- for i in items -%}<li>{{ i }} now</li>{%- endfor -%}',
    '{% comment %} hidden {{ x }} words {% endcomment %}Shown',
    '<p>{% raw %}Use {{ name }} here{% endraw %}</p>',
    '<a href="{{ url }}" title="Go to {{ place }}">Go</a>',
    '{% assign a = "b" %}<p>{{ a }} is set</p>',
    '<p>{{ "{{" }} begins a value</p>',
    '<p {% if a > 1 %}class="b"{% endif %}>Text {{- b -}} end</p>',
    '{% case a %}{% when 1 %}One{% else %}Other{% endcase %}',
    '<p>&#123;% if %} is shown, {{ a }}</p>',
  ],
  nunjucks: [
    '<p>Hello {{ name | upper }} and {{ {a: 1}.a }}</p>',
    "<p>{{ '{{' }} begins a value, {{ '}}' }} ends it</p>",
    '{% if a > 1 and b < 2 %}Many{% elif c %}Some{% else %}None{% endif %}',
    '{# a comment with {{ x }} #}Shown',
    '{% raw %}<p>Use {{ name }} here</p>{% endraw %}',
    '{%- for k, v in items -%}<li>{{ k }}: {{ v }} now</li>{%- else -%}Empty{%- endfor -%}',
    '{% macro f(a, b="x") %}Text {{ a }}{% endmacro %}{{ f("<b>", "it\'s") }} after',
    '{% set a = "}" %}<p title="Open {{ a }}">Is {{ a }}</p>',
    '{% block title %}Home{% endblock %}{% extends "a.html" %}',
    '<p>&lcub;&lcub; name &rcub;&rcub; is shown, {{ name }} is not</p>',
    '{% call f() %}Inner words{% endcall %}',
    '<a href="{{ url(a, \'b\') }}">See {{ "a" if b else "c" }} there</a>',
  ],
};

describe('a text with markup', () => {
  it('has its blocks between its texts, and its escaped signs as references', () => {
    const [blocks, , , , , signs] = templates.angular as [string, string, string, string, string, string];
    expect(extractHtml(blocks).map(({ text }) => text)).toEqual([
      'You have {{ count }} keys.',
      'No {{ b }}',
      'None',
    ]);
    for (const template of [blocks, signs]) {
      const segments = extractHtml(template);
      const translated = rebuildHtml(
        template,
        segments,
        segments.map(({ text }) => `@if } ${text}`),
      );
      expect(translated).not.toBe(template);
      expect(engines.angular(translated)).toEqual(engines.angular(template));
    }
  });
});

describe.each(Object.keys(templates) as (keyof typeof engines)[])('templates of %s', (name) => {
  it.each(templates[name].map((template) => [template]))('%s', async (template) => {
    const translated = await translate(html, template, marked);
    expect(translated).toContain('§');
    expect(engines[name](translated)).toEqual(engines[name](template));
    if (name === 'angular') return;
    const page = `# Title\n\n${template.replace(/<[^{}<>]*>/g, ' ').trim()}\n`;
    expect(engines[name](await translate(markdown, page, marked))).toEqual(engines[name](page));
  });
});
