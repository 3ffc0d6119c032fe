import { createRequire } from 'node:module';
import { parseTemplate } from '@angular/compiler';
import Handlebars from 'handlebars';
import { Liquid, Tokenizer } from 'liquidjs';
import { describe, expect, it } from 'vitest';
import * as html from '#server/formats/html-document.ts';
import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import * as markdown from '#server/formats/markdown.ts';
import { listOf } from './cases.ts';
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

const templatesOf = (engine: keyof typeof engines) => listOf('template-engines.yaml', engine);

describe('a text with markup', () => {
  it('has its blocks between its texts, and its escaped signs as references', () => {
    const [blocks, , , , , signs] = templatesOf('angular') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
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

describe.each(Object.keys(engines) as (keyof typeof engines)[])('templates of %s', (name) => {
  it.each(templatesOf(name).map((template) => [template]))('%s', async (template) => {
    const translated = await translate(html, template, marked);
    expect(translated).toContain('§');
    expect(engines[name](translated)).toEqual(engines[name](template));
    if (name === 'angular') return;
    const page = `# Title\n\n${template.replace(/<[^{}<>]*>/g, ' ').trim()}\n`;
    expect(engines[name](await translate(markdown, page, marked))).toEqual(engines[name](page));
  });
});
