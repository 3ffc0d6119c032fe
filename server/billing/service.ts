export { type BilledTenant, type BillingAccount, readBillingAccount } from './account.ts';
export { openPaymentProcessor, requireBilling, requireTopUps, requireWebhookSecret } from './capabilities.ts';
export { openCheckout, openPortal } from './payment-pages.ts';
export type { PaymentProcessor } from './processor.ts';
export { type SubscriptionState, subscriptionStateOf } from './subscription-state.ts';
export { admitTopUp, openTopUp } from './top-up.ts';
export { trialGrant } from './trial-grants.ts';
export { receiveDelivery } from './webhook.ts';
export { prunePaymentEvents } from './webhook-dedupe.ts';
