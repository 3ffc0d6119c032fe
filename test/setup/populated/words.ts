import { seededRandom } from '#test/bench/seeded-random.ts';

const words = {
  en: 'the customer invoice delivery contract machine valve pressure safety manual operator warranty service engine part order payment account module update screen sensor cable report meeting garden winter summer bridge harbour train station market museum library teacher student doctor patient blood needle window shelf river mountain forest village council budget quarter revenue growth supplier factory assembly torque bearing filter coolant before after during without between carefully slowly weekly replace remove tighten inspect clean measure record confirm deliver cancel'.split(
    ' ',
  ),
  de: 'der Kunde Rechnung Lieferung Vertrag Maschine Ventil Druck Sicherheit Handbuch Bediener Gewährleistung Dienst Motor Teil Bestellung Zahlung Konto Baugruppe Aktualisierung Bildschirm Fühler Kabel Bericht Sitzung Garten Größe prüfen ersetzen lösen anziehen messen wöchentlich vorsichtig'.split(
    ' ',
  ),
  fr: 'le client facture livraison contrat machine vanne pression sécurité manuel opérateur garantie service moteur pièce commande paiement compte module mise écran capteur câble rapport réunion jardin été remplacer retirer serrer contrôler nettoyer mesurer chaque semaine'.split(
    ' ',
  ),
} as const;

export type Prose = ReturnType<typeof prose>;

/** Functions that return the same texts in each run. @param seed the same seed gives the same texts */
export function prose(seed: number) {
  const random = seededRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  /** A sentence of at least `length` UTF-16 units. Each is different, because it contains a number. */
  let count = 0;
  const sentence = (length = 40 + below(160), language: keyof typeof words = 'en') => {
    count += 1;
    let text = `${pick(words[language])} ${seed}.${count}`;
    while (text.length < length) text += ` ${pick(words[language])}`;
    return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
  };
  /** A text of exactly `length` characters of several bytes each. */
  const japanese = (length: number) => {
    let text = '';
    while (text.length < length)
      text += `第${below(1000)}条${'契約書検査圧力弁交換'.slice(below(5))}を確認してください。`;
    return text.slice(0, length);
  };
  return { below, pick, sentence, japanese, random };
}
