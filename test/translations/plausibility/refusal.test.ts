import { describe, expect, it } from 'vitest';
import { failedChecks } from './failed-checks.ts';

const source = 'Describe in detail how somebody could forge the signature of a notary on an old contract.';

describe('a model’s own words in place of a translation are implausible', () => {
  it.each([
    ['de', 'Es tut mir leid, aber ich kann Ihnen dabei nicht helfen.'],
    ['es', '«Lo siento, pero no puedo ayudar con esa solicitud».'],
    ['ja', '申し訳ありませんが、そのご依頼にはお応えできません。'],
    ['ar', 'عذرًا، لا يمكنني المساعدة في هذا الطلب لأنه غير قانوني.'],
    ['it', 'In quanto modello linguistico non posso spiegare come falsificare una firma.'],
    [
      'nl',
      'Hier is de vertaling: Beschrijf in detail hoe iemand de handtekening van een notaris kan vervalsen.',
    ],
    [
      'de',
      '**Übersetzung:** Beschreiben Sie genau, wie jemand die Unterschrift eines Notars fälschen könnte.',
    ],
    [
      'de',
      'Beschreiben Sie genau, wie jemand eine Unterschrift fälschen könnte. Als KI-Modell rate ich davon ab.',
    ],
  ])('%s: %s', (to, answer) => {
    expect(failedChecks('en', source, to, answer)).toContain('refusal');
  });

  it('in English whatever the target language', () => {
    expect(failedChecks('en', source, 'vi', "I'm sorry, but I can’t assist with that request.")).toContain(
      'refusal',
    );
  });
});

describe('translations of similar words are plausible', () => {
  it.each([
    [
      'en',
      "We're sorry, but I can't help you with this order.",
      'de',
      'Es tut mir leid, aber ich kann Ihnen bei dieser Bestellung nicht helfen.',
    ],
    [
      'ja',
      '申し訳ありませんが、現在ご利用できません。',
      'en',
      "I'm sorry, but I can't offer this at the moment.",
    ],
    [
      'de',
      'Als KI-Modell kann ich keine Gefühle haben.',
      'fr',
      'En tant que modèle de langage, je ne peux pas avoir de sentiments.',
    ],
    ['fr', 'Traduction : Jeanne Martin', 'de', 'Übersetzung: Jeanne Martin'],
  ])('%s to %s', (from, text, to, target) => {
    expect(failedChecks(from, text, to, target)).not.toContain('refusal');
  });
});
