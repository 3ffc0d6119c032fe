import http from 'node:http';
import net from 'node:net';
import { expect } from 'vitest';
import type { Signup, TestApp } from '#test/setup/app.ts';

export const PATH = '/api/translations';
export const VERSION = '2026-09-01';
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const HELLO = JSON.stringify({ source_text: 'Hello', target_lang: 'fr' });
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };

/** An array that is nested so deeply that a recursive parser would exceed the stack. */
export const deepArrays = '['.repeat(10_000) + ']'.repeat(10_000);

/** A response with its complete body. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Functions that send bytes or unchanged requests to an application, and check the responses. `tenantOf` returns the
 * caller.
 */
export function wireTo(app: TestApp, tenantOf: () => Signup) {
  /** Sends a request whose path and headers reach the server unchanged. */
  function send(
    method: string,
    path: string,
    options: { body?: string | Buffer; headers?: http.OutgoingHttpHeaders; at?: TestApp } = {},
  ): Promise<Answer> {
    const { hostname, port } = new URL((options.at ?? app).address);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = http.request({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: options.headers ?? {},
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const headers = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) headers.append(name, value);
        }
        resolve({ status: response.statusCode ?? 0, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    request.end(options.body);
    return promise;
  }

  /**
   * Sends bytes and closes the sending side of the connection. Returns the first response, or undefined if the server
   * closes the connection without a response.
   */
  async function raw(bytes: string): Promise<Answer | undefined> {
    const { hostname, port } = new URL(app.address);
    const socket = net.connect(Number(port), hostname).setEncoding('latin1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.end(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    const [head = '', text = ''] = received.split(/\r\n\r\n(.*)/s);
    const [statusLine = '', ...lines] = head.split('\r\n');
    if (statusLine === '') return undefined;
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
    return { status: Number(statusLine.split(' ')[1]), headers, text };
  }

  /** Headers of a JSON request by the tenant. */
  const jsonHeaders = (extra: Record<string, string> = {}) => ({
    'content-type': 'application/json',
    ...tenantOf().headers,
    ...extra,
  });

  function post(body: string | Buffer, headers: Record<string, string> = {}) {
    return send('POST', PATH, { body, headers: jsonHeaders(headers) });
  }

  async function expectAlive(at = app, signup = tenantOf()) {
    const health = await at.json('GET', '/healthz');
    expect(health.status).toBe(200);
    const { status, body } = await at.json('POST', PATH, {
      headers: signup.headers,
      body: { source_text: 'Still here', target_lang: 'fr' },
    });
    expect(status).toBe(200);
    expect(body.final_translation).toBe('[fr] Still here');
  }

  return { send, raw, jsonHeaders, post, expectAlive };
}

/** Expects a harmless response, whatever was sent: no 5xx, no internal details, and a request ID. */
export function expectHarmless({ status, headers, text }: Answer) {
  expect(status, text.slice(0, 300)).toBeGreaterThanOrEqual(200);
  expect(status, text.slice(0, 300)).toBeLessThan(500);
  expect(text).not.toMatch(/(\n|\\n)\s+at |"stack"|node_modules|node:internal|file:\/\/|\.[cm]?[jt]s:\d+/);
  expect(text).not.toMatch(/"httpStatus":5\d\d/);
  expect(text).not.toMatch(/failed query|insert into|select "|drizzle|postgres|sqlstate|syntax error at or/i);
  expect(headers.get('x-request-id') ?? 'no X-Request-ID').toMatch(REQUEST_ID);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect('polluted' in {}).toBe(false);
  if (status >= 400 && text !== '') {
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(() => JSON.parse(text)).not.toThrow();
  }
}

/** Expects a harmless error whose body has one of the forms of A 7.1. */
export function expectRefusal(answer: Answer, ...statuses: number[]) {
  expectHarmless(answer);
  expect(statuses, answer.text.slice(0, 300)).toContain(answer.status);
  const { detail } = JSON.parse(answer.text);
  if (typeof detail === 'string') expect(detail).not.toBe('');
  else expectEntries(detail);
  return detail;
}

function expectEntries(detail: unknown) {
  if (!Array.isArray(detail)) throw new Error(`neither a string nor an array: ${JSON.stringify(detail)}`);
  expect(detail.length).toBeGreaterThan(0);
  for (const entry of detail) {
    expect(entry).toMatchObject({
      loc: expect.any(Array),
      msg: expect.any(String),
      type: expect.any(String),
    });
    for (const part of entry.loc) expect(['string', 'number']).toContain(typeof part);
  }
}

/** Creates rows for test.each. The first cell of each row is short enough for a title. */
export function named(...values: string[]): [title: string, value: string][] {
  return values.map((value) => {
    const title = value.length > 60 ? `${value.slice(0, 40)}... (${value.length} characters)` : value;
    return [title, value];
  });
}
