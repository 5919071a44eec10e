import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** A mail that the server accepted. */
export interface ReceivedMail {
  to: string;
  from: string;
  /** The raw message; empty if the server keeps no texts. */
  raw: string;
}

/**
 * Kind and stage of the fault: at the greeting, the login, MAIL FROM, RCPT TO, in the middle of the content, or after
 * the mail is accepted, when only its reply is missing. A text that starts with digits is the server's reply. `drip`
 * starts a reply that never ends.
 */
export interface SmtpFault {
  at: 'greeting' | 'login' | 'sender' | 'recipient' | 'data' | 'taken';
  what: 'hang' | 'drop' | 'drip' | `${number} ${string}`;
  /** The affected recipients (from RCPT TO on); all by default. */
  to?: string | ((address: string) => boolean);
  /** Number of times; unlimited by default. */
  times?: number;
}

export interface SmtpOptions {
  faults?: readonly SmtpFault[];
  /** Required from clients if given. */
  login?: { user: string; pass: string };
  /** A free port by default. */
  port?: number;
  keepsTexts?: boolean;
}

export interface SmtpForTest {
  /** The URL of the server, with the login if there is one. */
  url: string;
  port: number;
  /** The mails in the order in which the server accepted them. */
  mails: ReceivedMail[];
  /** Recipients of all RCPT TO commands, including repeated ones. */
  asked: string[];
  /** Number of connections so far. */
  connections: number;
  faults: SmtpFault[];
  /** The server awaits this promise before it replies to an accepted mail. */
  meanwhile: (mail: ReceivedMail) => Promise<void> | void;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

const DRIP_MS = 20;

type Done = (error?: Error | null) => void;

/**
 * Starts a real SMTP server on loopback that accepts every mail, except for its faults, which a test may change at any
 * time.
 */
export async function startSmtp(options: SmtpOptions = {}): Promise<SmtpForTest> {
  const { login, keepsTexts = true } = options;
  const drips = new Set<NodeJS.Timeout>();
  const socketOf = (session: SMTPServerSession): Socket | undefined =>
    [...server.connections].find((connection) => connection.id === session.id)?._socket;

  const drip = (session: SMTPServerSession, code: number) => {
    const socket = socketOf(session);
    const timer = setInterval(() => socket?.write(`${code}-One moment.\r\n`), DRIP_MS);
    drips.add(timer);
    socket?.on('error', () => undefined);
    socket?.once('close', () => clearInterval(timer));
  };

  /** Applies the fault of the stage, or calls `goOn`. */
  const orFault = (
    at: SmtpFault['at'],
    session: SMTPServerSession,
    { done, goOn = () => done(), to = '' }: { done: Done; goOn?: () => void; to?: string },
  ): void => {
    const fault = started.faults.find(
      (each) =>
        each.at === at &&
        (each.times ?? 1) > 0 &&
        (each.to === undefined || (typeof each.to === 'string' ? each.to === to : each.to(to))),
    );
    if (fault === undefined) {
      goOn();
      return;
    }
    if (fault.times !== undefined) fault.times -= 1;
    if (fault.what === 'hang') return;
    if (fault.what === 'drop') {
      socketOf(session)?.destroy();
      return;
    }
    if (fault.what === 'drip') {
      drip(session, at === 'greeting' ? 220 : 250);
      return;
    }
    const [code = '', ...words] = fault.what.split(' ');
    done(Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }));
  };

  const server = new SMTPServer({
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onConnect: (session, done) => {
      started.connections += 1;
      orFault('greeting', session, { done });
    },
    onAuth: ({ username, password }, session, done) =>
      orFault('login', session, {
        done,
        goOn: () => {
          const isRight = username === login?.user && password === login?.pass;
          if (isRight) done(null, { user: username });
          else done(Object.assign(new Error('5.7.8 Wrong login'), { responseCode: 535 }));
        },
      }),
    onMailFrom: (_, session, done) => orFault('sender', session, { done }),
    onRcptTo: ({ address }, session, done) => {
      started.asked.push(address);
      orFault('recipient', session, { done, to: address });
    },
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo[0]?.address ?? '';
      const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
      const take = () => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => {
          if (keepsTexts) chunks.push(chunk);
        });
        stream.resume();
        stream.once('end', async () => {
          const mail = { to, from, raw: Buffer.concat(chunks).toString() };
          started.mails.push(mail);
          await started.meanwhile(mail);
          orFault('taken', session, { to, done });
        });
      };
      const refuse: Done = (error) => {
        stream.resume();
        done(error);
      };
      stream.once('readable', () => orFault('data', session, { to, done: refuse, goOn: take }));
    },
  });
  // A client may close its connection at any time.
  server.on('error', () => undefined);

  const started: SmtpForTest = {
    url: '',
    port: 0,
    mails: [],
    asked: [],
    connections: 0,
    faults: [...(options.faults ?? [])],
    meanwhile: () => undefined,
    close: () =>
      new Promise((resolve) => {
        for (const timer of drips) clearInterval(timer);
        for (const connection of server.connections) connection._socket.destroy();
        server.close(() => resolve());
      }),
  };
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  started.port = (server.server.address() as AddressInfo).port;
  const before = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.pass)}@` : '';
  started.url = `smtp://${before}127.0.0.1:${started.port}`;
  return started;
}
