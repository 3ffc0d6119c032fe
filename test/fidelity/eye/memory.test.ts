import { expect, it } from 'vitest';
import { alignMarkdown, findInMemory, normalized } from './memory.ts';

const english = `# Title

Users **must** sign in with a [password](https://example.org).

| # | Rule |
| --- | --- |
| **1.1** | Check the length of every password that a user sets |
| **1.2** | Keep a log |`;

const german = `# Überschrift

Benutzer **müssen** sich mit einem [Passwort](https://example.org) anmelden.

| # | Regel |
| --- | --- |
| **1.1** | Die Länge jedes Passworts prüfen, das ein Benutzer setzt |
| **1.2** | Ein Protokoll führen |`;

it('aligns lines and cells, without the marks of Markdown', () => {
  expect(alignMarkdown(english, german)).toEqual([
    ['Title', 'Überschrift'],
    ['Users must sign in with a password.', 'Benutzer müssen sich mit einem Passwort anmelden.'],
    ['Rule', 'Regel'],
    [
      'Check the length of every password that a user sets',
      'Die Länge jedes Passworts prüfen, das ein Benutzer setzt',
    ],
    ['Keep a log', 'Ein Protokoll führen'],
  ]);
});

it('aligns only rows by their first cells if lines are missing', () => {
  const shorter = german.replace('# Überschrift\n\n', '');
  expect(alignMarkdown(english, shorter).map(([source]) => source)).toEqual([
    'Rule',
    'Check the length of every password that a user sets',
    'Keep a log',
  ]);
});

it('finds a paragraph, and the same part of the translation for a part of it', () => {
  const memory = new Map(alignMarkdown(english, german).map(([from, to]) => [normalized(from), to]));
  expect(findInMemory(memory, 'keep  a LOG')).toBe('Ein Protokoll führen');
  expect(findInMemory(memory, 'of every password that a user sets')).toBe(
    'Passworts prüfen, das ein Benutzer setzt',
  );
  expect(findInMemory(memory, 'Something else')).toBeNull();
});
