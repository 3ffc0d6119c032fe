import type { PriceList } from '#server/billing/prices.ts';
import { check, escapeHtml } from './html.ts';
import type { LandingWords } from './landing-words/words.ts';
import type { Locale } from './locale.ts';

type Price = NonNullable<PriceList['plans'][number]['price']>;

/** The names of the plans, which are not translated. */
const names = { personal: 'Personal', pro: 'Pro', studio: 'Studio' } as const;

/** Returns the part of the landing page with the plans that have a price; undefined if none has one. */
export function pricesPart(
  locale: Locale,
  { plans, topup }: PriceList,
  words: LandingWords['prices'],
): string | undefined {
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const cards = plans.flatMap(({ tier, monthly_chars, price }) => {
    if (!price) return [];
    const characters = words.characters.replace('{characters}', number(monthly_chars));
    return [
      `<li>
<h3 translate="no">${names[tier]}</h3>
<p class="amount"><b>${escapeHtml(amountOf(price, locale))}</b> ${escapeHtml(intervalOf(price, locale, words))}</p>
<p>${check}<span>${escapeHtml(characters)}</span></p>
</li>`,
    ];
  });
  if (cards.length === 0) return undefined;
  const notes = [
    ...(topup?.price
      ? [
          words.topup
            .replace('{characters}', number(topup.chars))
            .replace('{price}', amountOf(topup.price, locale)),
        ]
      : []),
    ...taxNotes(plans, words),
  ];
  return `<section class="prices" id="prices">
<h2>${escapeHtml(words.heading)}</h2>
<ul>${cards.join('')}</ul>
${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('')}
</section>`;
}

function amountOf({ amount, currency }: Price, locale: Locale): string {
  const style = { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' } as const;
  return new Intl.NumberFormat(locale, style).format(amount);
}

/** The time between two payments: `per month`, or `/ 3 months`. */
function intervalOf(
  { interval, interval_count }: Price,
  locale: Locale,
  words: LandingWords['prices'],
): string {
  if (interval === null) return '';
  if (interval_count === 1) return words.per[interval];
  const style = { style: 'unit', unit: interval, unitDisplay: 'long' } as const;
  return `/ ${new Intl.NumberFormat(locale, style).format(interval_count)}`;
}

/** Whether the prices include taxes, if this is the same for all plans. */
function taxNotes(plans: PriceList['plans'], words: LandingWords['prices']): string[] {
  const [tax, ...others] = new Set(plans.flatMap(({ price }) => (price ? [price.tax] : [])));
  return tax && others.length === 0 ? [words[tax]] : [];
}
