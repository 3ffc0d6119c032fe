// Never run: it compiles, or the SDK's types of tenants, usage and billing are wrong. It is compiled against the sources and
// against the published declarations.
import type {
  BillingTier,
  CallOptions,
  CheckoutRequest,
  CreatedInvite,
  DailyUsage,
  DailyUsageQuery,
  Fetch,
  InviteCreateRequest,
  InviteListQuery,
  InviteRecord,
  LinguaLoop,
  Page,
  PaymentPage,
  ProvisionedTenant,
  SecurityPolicy,
  TenantAccount,
  TenantAccountCreate,
  TenantListQuery,
  TenantOptions,
  TenantUsageRecord,
  TenantUsageSummary,
  TopUpRequest,
  UsageExport,
  UsageExportFormat,
  UsageExportQuery,
  UsageRecordsQuery,
  UsageSummaryQuery,
} from '#sdk/index.ts';

/** Fails to compile unless `T` is usable as `Expected`. */
type Usable<T extends Expected, Expected> = T;
/** `any` is usable as everything, so it is checked separately. */
type IsAny<T> = 0 extends 1 & T ? true : false;

export type Record_ = Usable<
  TenantUsageRecord,
  {
    job_id: string;
    kind: 'text' | 'document';
    billing_period: string;
    source_chars: number;
    billable_chars: number;
    fast_path: string | null;
    recorded_at: string;
    total_tokens?: number | undefined;
    models?: string[] | undefined;
  }
>;
export type Summary = Usable<
  TenantUsageSummary,
  {
    jobs: number;
    monthly_char_limit: number;
    allowance: { window_start: string; limit: number; used: number; reserved: number; remaining: number };
    topup: { purchased: number; used: number; balance: number };
    records: TenantUsageRecord[];
  }
>;
export type Daily = Usable<
  DailyUsage,
  { tenant_id: string | null; days: { date: string; jobs: number }[]; totals: { billable_chars: number } }
>;
export type Formats = Usable<'json' | 'jsonl' | 'csv', UsageExportFormat>;
export type Exported = Usable<
  UsageExport,
  { fileName: string; contentType: string; body: ReadableStream<Uint8Array> }
>;
export type Provisioned = Usable<ProvisionedTenant, TenantAccount & { api_key: string }>;
export type Provisioning = Usable<
  { name: string; monthly_char_limit: number | null; metadata: { mine: number } },
  TenantAccountCreate
>;
export type Policy = Usable<{ mfa_required: boolean } | { mfa_required_for_sso: boolean }, SecurityPolicy>;
export type Inviting = Usable<
  Record<string, never> | { email: string; role: 'global_administrator'; expires_in_days: number },
  InviteCreateRequest
>;
export type Invited = Usable<CreatedInvite, InviteRecord & { invite_token: string }>;
export type Tiers = Usable<'personal' | 'pro' | 'studio', BillingTier>;
export type Packs = Usable<{ packs: number } | Record<string, never>, TopUpRequest>;
export type PageToPay = Usable<PaymentPage, { url: string }>;

export type Known = Usable<
  | IsAny<TenantUsageRecord | TenantUsageSummary | DailyUsage | UsageExport | UsageExportFormat>
  | IsAny<DailyUsageQuery | UsageSummaryQuery | UsageRecordsQuery | UsageExportQuery>
  | IsAny<ProvisionedTenant | TenantAccountCreate | SecurityPolicy | TenantListQuery | InviteListQuery>
  | IsAny<CreatedInvite | InviteRecord | InviteCreateRequest | CheckoutRequest | TopUpRequest | PaymentPage>,
  false
>;

/** A function without streams is a valid `fetch`, too. */
export const plainFetch: Fetch = async (url, init) => {
  const { status, ok, headers, text, arrayBuffer } = await fetch(url, init);
  return { status, ok, headers, text, arrayBuffer };
};

export async function calls(client: LinguaLoop, options: CallOptions): Promise<number> {
  const { tenants, usage, billing } = client;
  const there: TenantOptions = { ...options, tenantId: 't' };
  const account: TenantAccount = await tenants.setSecurityPolicy({ mfa_required: true }, there);
  const page: Page<TenantAccount> = await tenants.listPage({ limit: 5 }, options);
  for await (const tenant of tenants.list()) page.items.push(tenant);
  const { invite_id } = await tenants.invites.create({}, there);
  for await (const { status } of tenants.invites.list({ limit: 1 }, there)) status satisfies string;
  await tenants.invites.withdraw(invite_id, there);

  let total = 0;
  for await (const record of usage.records(account.id, { period: '2026-11' }, options))
    total += record.billable_chars;
  const { body, contentType } = await usage.export(account.id, { format: 'csv' }, options);
  new Response(body, { headers: { 'content-type': contentType } });
  total += (await usage.summary(account.id, { limit: 1 })).allowance.remaining;
  total += (await usage.daily({ from: '2026-11-01' }, there)).days.length;
  const { url }: PaymentPage = await billing.checkout({ tier: 'pro' }, options);
  await billing.topUp();
  await billing.topUp({ packs: 2 }, options);
  await billing.portal(options);

  // @ts-expect-error the tenant is named first
  usage.records({ period: '2026-11' });
  // @ts-expect-error no such format
  await usage.export(account.id, { format: 'xlsx' });
  // @ts-expect-error all of them are in `records`
  await usage.summary(account.id, { cursor: 'c' });
  // @ts-expect-error no such plan
  await billing.checkout({ tier: 'gold' });
  // @ts-expect-error no such toggle
  await tenants.setSecurityPolicy({ mfa: true });
  // @ts-expect-error a tenant is named in the options
  await tenants.invites.create({ tenant_id: 't' });
  // @ts-expect-error the name is missing
  await tenants.create({});
  return total + url.length;
}
