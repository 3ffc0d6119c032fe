import { useState } from 'react';
import type { PaymentPage } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import styles from './billing.module.css';

/** The plans with their weighted characters per month. */
const plans = [
  { tier: 'personal', chars: 500_000 },
  { tier: 'pro', chars: 1_500_000 },
  { tier: 'studio', chars: 5_000_000 },
] as const;

/** The number of characters in one pack, and the maximum number of packs in one purchase. */
const packChars = 1_000_000;
const maxPacks = 5;

/** The plans. If this deployment does not sell one, the service's error is shown. */
export function Plans() {
  const t = useT();
  const { number } = useFormat();
  return (
    <section aria-labelledby="plans">
      <h2 id="plans">{t('billing.plans')}</h2>
      <ul className={styles['plans']}>
        {plans.map(({ tier, chars }) => (
          <li key={tier}>
            <h3>{t(`billing.${tier}`)}</h3>
            <p>{t('billing.plan_chars', { chars: number(chars) })}</p>
            <PaymentButton
              label={t('billing.subscribe', { plan: t(`billing.${tier}`) })}
              open={() => client.billing.checkout({ tier })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Buys prepaid characters. */
export function TopUp() {
  const t = useT();
  const { number } = useFormat();
  const [packs, setPacks] = useState(1);
  return (
    <section aria-labelledby="topup">
      <h2 id="topup">{t('billing.topup')}</h2>
      <p className="hint">{t('billing.topup_hint')}</p>
      <div className={styles['row']}>
        <label>
          {t('billing.packs')}
          <select value={packs} onChange={({ target }) => setPacks(Number(target.value))}>
            {Array.from({ length: maxPacks }, (_, index) => index + 1).map((count) => (
              <option key={count} value={count}>
                {t('billing.pack_chars', { chars: number(count * packChars) })}
              </option>
            ))}
          </select>
        </label>
        <PaymentButton label={t('billing.buy')} open={() => client.billing.topUp({ packs })} />
      </div>
    </section>
  );
}

/**
 * Opens a page of the payment processor in this tab. The button stays disabled until the browser has left this page.
 */
export function PaymentButton({ label, open }: { label: string; open: () => Promise<PaymentPage> }) {
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
      <button type="button" className="primary" disabled={isBusy} onClick={() => void go()}>
        {isBusy ? t('billing.opening') : label}
      </button>
    </div>
  );
}
