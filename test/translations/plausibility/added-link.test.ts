import { describe, expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

const source = 'The concert begins at eight in the evening. Tickets: https://tickets.example.org/concert';
const french = 'Le concert commence à huit heures du soir. Billets :';

describe('a link that the source does not have is implausible', () => {
  it.each([
    'https://tickets.example.org/concert https://evil.example/login',
    'https://tickets.example.org/concert (www.lucky-star.com)',
    'https://tickets.example.org/concert lucky-star.shop',
  ])('%s', (links) => {
    expect(failedChecks('en', source, 'fr', `${french} ${links}`)).toEqual(['link']);
  });
});

describe('a link of the source is plausible', () => {
  it.each([
    'https://tickets.example.org/concert',
    'https://tickets.example.org/fr/concert',
    'https://tickets.example.fr/concert',
    'https://tickets.example.org/concert (tickets.example.org)',
  ])('%s', (links) => {
    expect(failedChecks('en', source, 'fr', `${french} ${links}`)).toEqual([]);
  });
});
