import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { billing } from '#sdk/billing.ts';
import type { OutputOf } from '#sdk/procedure-types.ts';
import type { PaymentPage } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { NativeSelect } from '../../kit/field.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';

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
    <Stack as="section" aria-labelledby="plans">
      <Stack gap={0}>
        <Text as="h2" size="md" id="plans">
          {t('billing.plans')}
        </Text>
        <p className="hint">{t(error ? 'billing.prices_unknown' : 'billing.prices_why')}</p>
      </Stack>
      <Grid as="ul" least={13}>
        {(data?.plans ?? unpriced).map(({ tier, monthly_chars, price }) => (
          <Card as="li" key={tier} isChosen={tier === current}>
            <Row justify="space-between">
              <Text as="h3" size="md">
                {t(`billing.${tier}`)}
              </Text>
              {tier === current && <Badge>{t('billing.your_plan')}</Badge>}
            </Row>
            {price && <PriceLine price={price} text={priceText(price)} />}
            <Row as="p" isTight>
              <Check size={15} aria-hidden style={{ flex: 'none', color: 'var(--petrol)' }} />
              <Text size="sm">{t('billing.plan_chars', { chars: number(monthly_chars) })}</Text>
            </Row>
            {current === undefined && (
              <PaymentButton
                label={t('billing.subscribe', { plan: t(`billing.${tier}`) })}
                open={() => bound(billing).checkout({ tier })}
              />
            )}
          </Card>
        ))}
      </Grid>
      {current !== undefined && <p className="hint">{t('billing.change_in_portal')}</p>}
    </Stack>
  );
}

function PriceLine({ price, text }: { price: Price; text: { amount: string; per: string } }) {
  const t = useT();
  return (
    <Text as="p" tone="soft">
      <Amount>{text.amount}</Amount> {text.per}
      {price.tax && <span className="hint">{t(`billing.tax_${price.tax}`)}</span>}
    </Text>
  );
}

/** A large figure at the beginning of a line. */
export function Amount({ children }: { children: string }) {
  return (
    <b style={{ color: 'var(--ink)' }}>
      <Text size="2xl" weight="semi" isNumeric>
        {children}
      </Text>
    </b>
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
      <Row gap={4} align="end">
        <NativeSelect
          label={t('billing.packs')}
          value={String(packs)}
          options={Array.from({ length: maxPacks }, (_, index) => [
            String(index + 1),
            t('billing.pack_chars', { chars: number((index + 1) * chars) }),
          ])}
          onChange={(count) => setPacks(Number(count))}
        />
        {price && <PriceLine price={price} text={priceText({ ...price, amount: price.amount * packs })} />}
        <PaymentButton label={t('billing.buy')} open={() => bound(billing).topUp({ packs })} />
      </Row>
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
        aria-disabled={isBusy}
        onClick={() => isBusy || void go()}
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
