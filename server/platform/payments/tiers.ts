import type { Settings } from '#server/settings.ts';

/** The plans, smallest first, with the weighted characters per month that each plan includes. */
export const includedChars = { personal: 500_000, pro: 1_500_000, studio: 5_000_000 } as const;

export type Tier = keyof typeof includedChars;

export const tiers = Object.keys(includedChars) as Tier[];

export function isTier(slug: string): slug is Tier {
  return Object.hasOwn(includedChars, slug);
}

/** Source characters in one top-up pack. */
export const charsPerPack = 1_000_000;

/** The maximum number of packs in one purchase. */
export const maxPacks = 5;

/** The maximum prepaid balance of a tenant. */
export const maxBalance = 10_000_000;

/** The id of the Price at the payment processor, for each tier that this deployment sells. */
export type TierPrices = Readonly<Partial<Record<Tier, string>>>;

export function tierPrices({
  STRIPE_PRICE_PERSONAL: personal,
  STRIPE_PRICE_PRO: pro,
  STRIPE_PRICE_STUDIO: studio,
}: Settings): TierPrices {
  return { ...(personal && { personal }), ...(pro && { pro }), ...(studio && { studio }) };
}

/** Returns the tier of a subscription by its Prices; undefined if this deployment sells none of them. */
export function tierOfPrices(priceIds: readonly string[], prices: TierPrices): Tier | undefined {
  return tiers.find((tier) => prices[tier] !== undefined && priceIds.includes(prices[tier]));
}
