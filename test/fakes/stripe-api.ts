import type { StripeRequest } from './stripe.ts';

export interface StripeCustomer {
  id: string;
  object: 'customer';
  metadata: Record<string, string>;
  deleted?: true;
  [field: string]: unknown;
}

export interface StripeSubscription {
  id: string;
  object: 'subscription';
  customer: string;
  status: string;
  items: { object: 'list'; data: { id: string; price: { id: string } }[] };
  metadata: Record<string, string>;
  [field: string]: unknown;
}

/** A checkout session or a portal session, with the parameters of its request. */
export interface StripeSession {
  id: string;
  object: 'checkout.session' | 'billing_portal.session';
  url: string;
  [field: string]: unknown;
}

/** An error response of Stripe: `{error}`. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly error: { type: string; message: string; code?: string; param?: string };

  constructor(status: number, error: StripeRefusal['error']) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

export interface StripeApi {
  readonly customers: Map<string, StripeCustomer>;
  readonly subscriptions: Map<string, StripeSubscription>;
  readonly sessions: Map<string, StripeSession>;
  subscribe(
    customer: string,
    fields?: { id?: string; status?: string; price?: string; metadata?: Record<string, string> },
  ): StripeSubscription;
  deleteCustomer(id: string): void;
  /** Returns the body of a successful response. @throws StripeRefusal for an error response */
  handle(request: StripeRequest): unknown;
}

/** The objects that Stripe stores, and the requests that create and read them. */
export function createStripeApi(prices?: readonly string[]): StripeApi {
  const customers = new Map<string, StripeCustomer>();
  const subscriptions = new Map<string, StripeSubscription>();
  const sessions = new Map<string, StripeSession>();
  let made = 0;
  // Differs between fakes, because the tests of one file may run several of them at the same time.
  const mark = Math.random().toString(36).slice(2, 8);
  const newId = (prefix: string) => `${prefix}_${mark}${String(++made).padStart(6, '0')}`;

  const requireCustomer = ({ fields }: StripeRequest) => {
    const { customer } = fields;
    if (customer !== undefined && (customers.get(customer)?.deleted ?? !customers.has(customer)))
      throw missing(400, 'customer', customer);
  };
  const keep = (session: StripeSession) => {
    sessions.set(session.id, session);
    return session;
  };

  const routes: Record<string, (request: StripeRequest, id: string) => unknown> = {
    'POST /v1/customers': ({ fields }) => {
      const id = newId('cus');
      const { metadata = {}, ...others } = nested(fields);
      const customer = { ...others, id, object: 'customer', metadata } as StripeCustomer;
      customers.set(id, customer);
      return customer;
    },
    'GET /v1/customers/:id': (_request, id) => {
      const customer = customers.get(id);
      if (!customer) throw missing(404, 'id', id);
      return customer.deleted ? { id, object: 'customer', deleted: true } : customer;
    },
    'POST /v1/checkout/sessions': (request) => {
      requireCustomer(request);
      const fields = nested(request.fields);
      const lines = (fields['line_items'] ?? []) as { price?: string }[];
      for (const [at, { price = '' }] of lines.entries())
        if (prices && !prices.includes(price)) throw missing(400, `line_items[${at}][price]`, price, 'price');
      const id = newId('cs_test');
      const url = `https://checkout.stripe.example/${id}`;
      return keep({
        ...fields,
        id,
        object: 'checkout.session',
        status: 'open',
        payment_status: 'unpaid',
        url,
      });
    },
    'POST /v1/billing_portal/sessions': (request) => {
      requireCustomer(request);
      const id = newId('bps');
      const url = `https://billing.stripe.example/${id}`;
      return keep({ ...nested(request.fields), id, object: 'billing_portal.session', url });
    },
    'GET /v1/subscriptions': ({ fields, path }) => {
      const { customer, status, limit = '10', starting_after: after } = fields;
      // The subscriptions of a deleted customer are still listed; they ended when the customer was deleted.
      if (customer !== undefined && !customers.has(customer)) throw missing(400, 'customer', customer);
      const all = [...subscriptions.values()]
        .filter((one) => customer === undefined || one.customer === customer)
        .filter((one) =>
          status === undefined ? one.status !== 'canceled' : status === 'all' || one.status === status,
        )
        .reverse();
      const rest = after === undefined ? all : all.slice(all.findIndex(({ id }) => id === after) + 1);
      const data = rest.slice(0, Number(limit));
      return { object: 'list', url: path, has_more: rest.length > data.length, data };
    },
    'GET /v1/prices/:id': (_request, id) => {
      if (prices && !prices.includes(id)) throw missing(404, 'price', id, 'price');
      const recurring = id === 'price_topup' ? null : { interval: 'month', interval_count: 1 };
      const unit_amount = amounts[id] ?? 4900;
      const amount = { unit_amount, unit_amount_decimal: String(unit_amount), currency: 'eur' };
      return { id, object: 'price', ...amount, recurring };
    },
    'GET /v1/subscriptions/:id': (_request, id) => {
      const subscription = subscriptions.get(id);
      if (!subscription) throw missing(404, 'id', id, 'subscription');
      return subscription;
    },
  };

  return {
    customers,
    subscriptions,
    sessions,
    subscribe(customer, { id = newId('sub'), status = 'active', price = 'price_fake', metadata = {} } = {}) {
      const items = { object: 'list' as const, data: [{ id: newId('si'), price: { id: price } }] };
      const subscription: StripeSubscription = {
        id,
        object: 'subscription',
        customer,
        status,
        items,
        metadata,
      };
      if (!customers.has(customer))
        customers.set(customer, { id: customer, object: 'customer', metadata: {} });
      subscriptions.set(id, subscription);
      return subscription;
    },
    deleteCustomer(id) {
      customers.set(id, { id, object: 'customer', metadata: {}, deleted: true });
      for (const one of subscriptions.values()) if (one.customer === id) one.status = 'canceled';
    },
    handle(request) {
      const [, collection = '', id] = /^(.*?)(?:\/([a-z]+_\w+))?$/.exec(request.path) ?? [];
      const route = routes[`${request.method} ${collection}${id === undefined ? '' : '/:id'}`];
      if (!route)
        throw new StripeRefusal(404, { type: 'invalid_request_error', message: 'Unrecognized request URL' });
      return route(request, id ?? '');
    },
  };
}

/** Amounts in cents. All other prices are 49 euros. */
const amounts: Readonly<Record<string, number>> = {
  price_personal: 1900,
  price_studio: 14_900,
  price_topup: 2950,
};

function missing(status: number, param: string, id: string, what = 'customer'): StripeRefusal {
  const message = `No such ${what}: '${id}'`;
  return new StripeRefusal(status, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message,
  });
}

/** Converts form fields such as `{'metadata[a]': 'x', 'line_items[0][price]': 'y'}` to a nested object. */
function nested(fields: Record<string, string>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const [first = '', ...path] = name.split(/[[\]]+/).filter((part) => part !== '');
    let parent = whole;
    let key = first;
    for (const part of path) {
      parent[key] ??= /^\d+$/.test(part) ? [] : {};
      parent = parent[key] as Record<string, unknown>;
      key = part;
    }
    parent[key] = value;
  }
  return whole;
}
