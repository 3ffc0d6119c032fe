import { useQuery } from '@tanstack/react-query';
import { ask } from '../../client.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { queryKeys } from '../../query-keys.ts';

/** The price of an item at the payment processor. */
export interface Price {
  /** In the currency's main unit, such as 49.5. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /** The interval of payments; null for a one-time payment. */
  interval: 'day' | 'week' | 'month' | 'year' | null;
  interval_count: number;
  /** Whether the amount includes taxes; null if not known. */
  tax: 'inclusive' | 'exclusive' | null;
}

/** The items that the deployment sells. */
interface PriceList {
  plans: { tier: 'personal' | 'pro' | 'studio'; monthly_chars: number; price: Price | null }[];
  topup: { chars: number; price: Price | null } | null;
}

export function usePrices() {
  return useQuery({
    queryKey: queryKeys.prices,
    queryFn: () => ask<PriceList>('billing.prices'),
    staleTime: 600_000,
    retry: false,
  });
}

/** Returns a function that formats a price: the amount, and the time between two payments. */
export function usePriceText(): (price: Price) => { amount: string; per: string } {
  const t = useT();
  const { locale } = useInterface();
  return ({ amount, currency, interval, interval_count: count }) => ({
    amount: new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      trailingZeroDisplay: 'stripIfInteger',
    }).format(amount),
    per: interval === null ? '' : t(`billing.per_${interval}`, { count }),
  });
}
