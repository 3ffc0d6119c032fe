import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { billing } from '#sdk/billing.ts';
import type { OutputOf } from '#sdk/procedure-types.ts';
import type { PaymentPage } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './billing.module.css';

/** The plans that are sold, which are shown without prices until the prices are known. */
const unpriced = deployment.plans.map((plan) => ({ ...plan, price: null }));

/**
 * The plans that are sold, with their prices at the payment processor.
 * @param current the plan of the workspace, which is changed in the billing portal
 */
export function Plans({ current }: { current?: string | undefined }) {
  const t = useT();
  const { number } = useFormat();
  const { data, error } = usePrices();
  const priceText = usePriceText();
  return (
    <section aria-labelledby="plans" className={styles['sold']}>
      <h2 id="plans">{t('billing.plans')}</h2>
      <p className="hint">{t(error ? 'billing.prices_unknown' : 'billing.prices_why')}</p>
      <ul className={styles['plans']}>
        {(data?.plans ?? unpriced).map(({ tier, monthly_chars, price }) => (
          <li key={tier} className="card" data-current={tier === current || undefined}>
            <h3>
              {t(`billing.${tier}`)}
              {tier === current && <span className={styles['yours']}>{t('billing.your_plan')}</span>}
            </h3>
            {price && <PriceLine price={price} text={priceText(price)} />}
            <p className={styles['offer']}>
              <Check size={15} aria-hidden />
              {t('billing.plan_chars', { chars: number(monthly_chars) })}
            </p>
            {current === undefined && (
              <PaymentButton
                label={t('billing.subscribe', { plan: t(`billing.${tier}`) })}
                open={() => bound(billing).checkout({ tier })}
              />
            )}
          </li>
        ))}
      </ul>
      {current !== undefined && <p className="hint">{t('billing.change_in_portal')}</p>}
    </section>
  );
}

function PriceLine({ price, text }: { price: Price; text: { amount: string; per: string } }) {
  const t = useT();
  return (
    <p className={styles['price']}>
      <b>{text.amount}</b> {text.per}
      {price.tax && <span className="hint">{t(`billing.tax_${price.tax}`)}</span>}
    </p>
  );
}

/** Buys packs of `chars` prepaid characters. */
export function TopUp({ chars, maxPacks }: NonNullable<typeof deployment.topUp>) {
  const t = useT();
  const { number } = useFormat();
  const [packs, setPacks] = useState(1);
  const { data } = usePrices();
  const priceText = usePriceText();
  const price = data?.topup?.price;
  return (
    <Setting id="topup" title={t('billing.topup')} why={t('billing.topup_hint')}>
      <div className={styles['row']}>
        <label>
          {t('billing.packs')}
          <select value={packs} onChange={({ target }) => setPacks(Number(target.value))}>
            {Array.from({ length: maxPacks }, (_, index) => index + 1).map((count) => (
              <option key={count} value={count}>
                {t('billing.pack_chars', { chars: number(count * chars) })}
              </option>
            ))}
          </select>
        </label>
        {price && <PriceLine price={price} text={priceText({ ...price, amount: price.amount * packs })} />}
        <PaymentButton label={t('billing.buy')} open={() => bound(billing).topUp({ packs })} />
      </div>
    </Setting>
  );
}

/**
 * Opens a page of the payment processor in this tab. The button stays disabled until the browser has left this page.
 */
export function PaymentButton({
  label,
  open,
  isPrimary = true,
}: {
  label: string;
  open: () => Promise<PaymentPage>;
  isPrimary?: boolean;
}) {
  const t = useT();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const go = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { url } = await open();
      location.assign(url);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <div>
      {error ? <Problem error={error} retry={() => void go()} /> : null}
      <button
        type="button"
        className={isPrimary ? 'primary' : undefined}
        disabled={isBusy}
        onClick={() => void go()}
      >
        {isBusy ? t('billing.opening') : label}
      </button>
    </div>
  );
}

/** The price of an item at the payment processor. */
type Price = NonNullable<OutputOf<'billing.prices'>['plans'][number]['price']>;

function usePrices() {
  return useQuery({
    queryKey: queryKeys.prices,
    queryFn: () => procedures.billing.prices.query(),
    staleTime: 600_000,
    retry: false,
  });
}

/** Returns a function that formats a price: the amount, and the time between two payments. */
function usePriceText(): (price: Price) => { amount: string; per: string } {
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
