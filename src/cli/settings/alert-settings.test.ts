import { expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const alertsOf = (values: Record<string, string>) => readEnvironment(values).alerts;
const faultOf = (values: Record<string, string>) => {
  try {
    alertsOf(values);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

it('has no webhooks by default', () => {
  expect(alertsOf({})).toEqual({ webhooks: [], signingKey: null, allowsPrivate: false });
});

it('reads webhooks of each kind, separated by white space, and the secret', () => {
  const webhooks = [
    'generic=https://example.org/hook?a=b=c,d',
    'slack=https://hooks.slack.example/T/B/X',
    'telegram=https://api.telegram.example/bot1/sendMessage?chat_id=-1',
  ];
  expect(alertsOf({ ALERT_WEBHOOKS: webhooks.join('  '), ALERT_SECRET: SECRET })).toEqual({
    webhooks: webhooks.map((text) => ({
      kind: text.slice(0, text.indexOf('=')),
      url: text.slice(text.indexOf('=') + 1),
    })),
    signingKey: Buffer.alloc(24, 7),
    allowsPrivate: false,
  });
});

it.each([
  'https://hush.example',
  'teams=https://hush.example',
  'slack=hush',
  'slack=ftp://hush.example',
  'slack=https://me:hush@example.org',
  'telegram=https://api.telegram.example/hush/sendMessage',
])('names the place of a wrong webhook without quoting it: %s', (wrong) => {
  const fault = faultOf({ ALERT_WEBHOOKS: `slack=https://hooks.example/hush ${wrong}` });
  expect(fault).toMatch(/^ALERT_WEBHOOKS: webhook 2 is not right; write kind=URL/);
  expect(fault).not.toContain('hush');
});

it('refuses a generic webhook without a secret, and http unless private addresses are allowed', () => {
  expect(faultOf({ ALERT_WEBHOOKS: 'generic=https://example.org' })).toMatch(
    /generic webhook without ALERT_SECRET/,
  );
  const plain = { ALERT_WEBHOOKS: 'slack=http://10.0.0.1/hush' };
  expect(faultOf(plain)).toMatch(/https:\/\/, or set ALERT_ALLOW_PRIVATE=true/);
  expect(faultOf({ ...plain, ALERT_ALLOW_PRIVATE: 'true' })).toBeNull();
});

it.each(['hush', 'whsec_', 'whsec_aHVzaA==', `whsec_${'A'.repeat(100)}`])(
  'refuses %s as a secret without quoting it',
  (secret) => {
    const fault = faultOf({ ALERT_SECRET: secret });
    expect(fault).toBe('ALERT_SECRET must be "whsec_" and the base64 of 24 to 64 random bytes.');
  },
);
