import type { ReportKind } from '#mailer/reports/classify-report.ts';

/** A mail of ours that a report is about. */
export interface ReportedMail {
  /** The address of the reader. */
  readonly to: string;
  /** The envelope sender, to which the report is sent. */
  readonly returnPath: string;
  readonly unsubscribeUrl: string;
}

export interface ReportSample {
  readonly name: string;
  readonly kind: ReportKind;
  readonly status: string | null;
  raw(mail: ReportedMail): string;
}

const returned = ({ to, returnPath, unsubscribeUrl }: ReportedMail) => `Return-Path: <${returnPath}>
Received: from app.example.org (app.example.org [192.0.2.7])
\tby relay.example.org (Postfix) with ESMTPS id 4TxYz1
\tfor <${to}>; Sat, 21 Nov 2026 14:00:05 +0000 (UTC)
From: Barometer <signal@example.org>
To: ${to}
Subject: HOLD 54
Message-ID: <5f2c@example.org>
List-Unsubscribe: <${unsubscribeUrl}>
List-Unsubscribe-Post: List-Unsubscribe=One-Click
Content-Type: text/plain; charset=utf-8`;

interface Status {
  /** The headers of the report but `To`. */
  readonly head: string;
  readonly text: string;
  /** The groups of the delivery status. */
  readonly status: string;
  /** Type of the part with the returned mail. */
  readonly part?: 'message/rfc822' | 'text/rfc822-headers';
}

/** A delivery status notification (RFC 3464). */
const notification =
  ({ head, text, status, part = 'message/rfc822' }: Status) =>
  (mail: ReportedMail): string =>
    `${head}
To: ${mail.returnPath}
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="=_report_5f2c/relay"

This is a MIME-encapsulated message.

--=_report_5f2c/relay
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

${text}

--=_report_5f2c/relay
Content-Description: Delivery report
Content-Type: message/delivery-status

${status.replaceAll('{to}', mail.to)}

--=_report_5f2c/relay
Content-Description: Undelivered Message
Content-Type: ${part}

${returned(mail)}${part === 'message/rfc822' ? '\n\nHOLD 54\n' : ''}
--=_report_5f2c/relay--
`;

const POSTFIX = `Return-Path: <>
Date: Sat, 21 Nov 2026 14:00:07 +0000 (UTC)
From: MAILER-DAEMON@relay.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
Message-Id: <20261121140007.4TxYz2@relay.example.org>`;

const POSTFIX_STATUS = `Reporting-MTA: dns; relay.example.org
X-Postfix-Queue-ID: 4TxYz1
X-Postfix-Sender: rfc822; signal@example.org
Arrival-Date: Sat, 21 Nov 2026 14:00:05 +0000 (UTC)`;

const postfix = (recipient: string) =>
  notification({
    head: POSTFIX,
    text: `This is the mail system at host relay.example.org.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.`,
    status: `${POSTFIX_STATUS}\n\nFinal-Recipient: rfc822; {to}\nOriginal-Recipient: rfc822;{to}\n${recipient}`,
  });

const exim = (diagnostic: string) => (mail: ReportedMail) =>
  `X-Failed-Recipients: ${mail.to}\n${notification({
    head: `Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mail.example.net>
Subject: Mail delivery failed: returning message to sender
Message-Id: <E1tE1Xa-0001@mail.example.net>
Date: Sat, 21 Nov 2026 14:00:09 +0000`,
    text: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:`,
    status: `Reporting-MTA: dns; mail.example.net\n\nAction: failed\nFinal-Recipient: rfc822;{to}\n${diagnostic}`,
    part: 'text/rfc822-headers',
  })(mail)}`;

const gmail = (status: string, diagnostic: string) =>
  notification({
    head: `Return-Path: <>
From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
Date: Sat, 21 Nov 2026 06:00:07 -0800 (PST)`,
    text: '** Address not found **\n\nYour message was not delivered.',
    status: `Reporting-MTA: dns; googlemail.com
Received-From-MTA: dns; signal@example.org
Arrival-Date: Sat, 21 Nov 2026 06:00:06 -0800 (PST)
X-Original-Message-ID: <5f2c@example.org>

Final-Recipient: rfc822; {to}
Action: failed
Status: ${status}
Remote-MTA: dns; gmail-smtp-in.l.google.com. (192.0.2.27, the server for the domain gmail.com.)
Diagnostic-Code: smtp; ${diagnostic}
Last-Attempt-Date: Sat, 21 Nov 2026 06:00:07 -0800 (PST)`,
  });

const exchange = (status: string, diagnostic: string) =>
  notification({
    head: `From: <postmaster@outlook.example>
Date: Sat, 21 Nov 2026 14:00:08 +0000
Content-Language: en-US
Message-ID: <f00d@outlook.example>
Subject: Undeliverable: HOLD 54
Auto-Submitted: auto-replied
X-MS-Exchange-Message-Is-Ndr:`,
    text: 'Delivery has failed to these recipients or groups.',
    status: `Reporting-MTA: dns;AM0PR01MB0000.eurprd01.prod.exchangelabs.example
Received-From-MTA: dns;relay.example.org
Arrival-Date: Sat, 21 Nov 2026 14:00:07 +0000

Final-Recipient: rfc822;{to}
Action: failed
Status: ${status}
Diagnostic-Code: smtp;${diagnostic}`,
  });

const qmail = (failure: string) => (mail: ReportedMail) =>
  `Return-Path: <>
Received: (qmail 4711 invoked for bounce); 21 Nov 2026 14:00:09 -0000
Date: 21 Nov 2026 14:00:09 -0000
From: MAILER-DAEMON@mail.example.net
To: ${mail.returnPath}
Subject: failure notice

Hi. This is the qmail-send program at mail.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${mail.to}>:
${failure}

--- Below this line is a copy of the message.

${returned(mail)}

The policy of the market is not to be blocked by spam.
`;

/** A feedback report (RFC 5965). */
const feedback = (type: string, fields: string) => (mail: ReportedMail) =>
  `Return-Path: <feedback@arf.example.com>
From: <feedback@arf.example.com>
Date: Sun, 22 Nov 2026 08:00:00 +0000
Subject: FW: HOLD 54
To: abuse@example.org
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report;
 boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"
Content-Transfer-Encoding: 7bit

This is an email abuse report for an email message received from IP
192.0.2.25 on Sat, 21 Nov 2026 14:00:06 +0000.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1
${fields.replaceAll('{from}', mail.returnPath)}

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822
Content-Disposition: inline

${returned({ ...mail, to: 'redacted@redacted.invalid', returnPath: 'redacted@redacted.invalid' })}

HOLD 54
--part1_13d.2e68ed54_boundary--
`;

/** Reports in the formats of mail servers, after their documentation. Addresses and hosts are examples. */
export const REPORT_SAMPLES: readonly ReportSample[] = [
  {
    name: 'Postfix, no such user',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: postfix(`Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550 5.1.1 <reader@example.com>: Recipient address
    rejected: User unknown in local recipient table`),
  },
  {
    name: 'Postfix, no such domain',
    kind: 'hard bounce',
    status: '5.4.4',
    raw: postfix(`Action: failed
Status: 5.4.4
Diagnostic-Code: X-Postfix; Host or domain name not found. Name service error
    for name=spam-policy.example type=A: Host not found`),
  },
  {
    name: 'Postfix, mailbox full',
    kind: 'soft bounce',
    status: '5.2.2',
    raw: postfix(`Action: failed
Status: 5.2.2
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 552 5.2.2 <reader@example.com>: user is over quota`),
  },
  {
    name: 'Postfix, delayed',
    kind: 'soft bounce',
    status: '4.4.1',
    raw: postfix(`Action: delayed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.example.com[192.0.2.25]:25: Connection timed out
Will-Retry-Until: Thu, 26 Nov 2026 14:00:05 +0000 (UTC)`),
  },
  {
    name: 'Postfix, delivered to one address of a forwarder but not to the other',
    kind: 'unknown',
    status: '2.0.0',
    raw: postfix(`Action: relayed
Status: 2.0.0

Final-Recipient: rfc822; other@example.com
Action: failed
Status: 5.1.1`),
  },
  {
    name: 'Exim, unknown user',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: exim(
      'Status: 5.0.0\nRemote-MTA: dns; mx.example.com\nDiagnostic-Code: smtp; 550 5.1.1 <reader@example.com> User unknown',
    ),
  },
  {
    name: 'Exim, unroutable address',
    kind: 'hard bounce',
    status: '5.0.0',
    raw: exim('Status: 5.0.0\nDiagnostic-Code: X-Exim; Unrouteable address'),
  },
  {
    name: 'Exim, blocked as spam with the code of an unknown user',
    kind: 'soft bounce',
    status: '5.1.1',
    raw: exim(
      'Status: 5.0.0\nDiagnostic-Code: smtp; 550 5.1.1 Mail from 192.0.2.25 was blocked using a DNSBL; see https://bl.example',
    ),
  },
  {
    name: 'Sendmail, user unknown',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: notification({
      head: `From: Mail Delivery Subsystem <MAILER-DAEMON@mail.example.edu>
Message-Id: <202611211400.1ALE0@mail.example.edu>
Subject: Returned mail: see transcript for details
Auto-Submitted: auto-generated (failure)`,
      text: `The original message was received at Sat, 21 Nov 2026 14:00:06 GMT

   ----- The following addresses had permanent fatal errors -----
    (reason: 550 5.1.1 User unknown)`,
      status: `Reporting-MTA: dns; mail.example.edu
Received-From-MTA: DNS; relay.example.org
Arrival-Date: Sat, 21 Nov 2026 14:00:06 GMT

Final-Recipient: RFC822; {to}
Action: failed
Status: 5.1.1
Remote-MTA: DNS; mx.example.edu
Diagnostic-Code: SMTP; 550 5.1.1 <{to}>... User unknown
Last-Attempt-Date: Sat, 21 Nov 2026 14:00:07 GMT`,
    }),
  },
  {
    name: 'Microsoft 365, recipient not found',
    kind: 'hard bounce',
    status: '5.1.10',
    raw: exchange(
      '5.1.10',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    ),
  },
  {
    name: 'Microsoft 365, unknown recipient at the edge',
    kind: 'hard bounce',
    status: '5.4.1',
    raw: exchange('5.4.1', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)'),
  },
  {
    name: 'Exchange, message refused by a rule',
    kind: 'soft bounce',
    status: '5.7.1',
    raw: exchange(
      '5.7.1',
      '550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy',
    ),
  },
  {
    name: 'Gmail, no such user',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: gmail(
      '5.1.1',
      `550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550-5.1.1 unnecessary spaces. For more information, go to
 550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 5b1f17b1804b1-0 - gsmtp`,
    ),
  },
  {
    name: 'Gmail, disabled account',
    kind: 'hard bounce',
    status: '5.2.1',
    raw: gmail('5.2.1', '550 5.2.1 The email account that you tried to reach is disabled. - gsmtp'),
  },
  {
    name: 'Gmail, account that gets too many mails',
    kind: 'soft bounce',
    status: '5.2.1',
    raw: gmail(
      '5.2.1',
      '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. - gsmtp',
    ),
  },
  {
    name: 'Gmail, unauthenticated sender',
    kind: 'soft bounce',
    status: '5.7.26',
    raw: gmail('5.7.26', '550-5.7.26 Your email has been blocked because the sender is unauthenticated.'),
  },
  {
    name: 'qmail, no such mailbox (QSBMF)',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: qmail('Sorry, no mailbox here by that name. (#5.1.1)'),
  },
  {
    name: 'qmail, reply of a remote host (QSBMF)',
    kind: 'hard bounce',
    status: null,
    raw: qmail(
      '192.0.2.25 does not like recipient.\nRemote host said: 550 Requested action not taken: mailbox unavailable\nGiving up on 192.0.2.25.',
    ),
  },
  {
    name: 'qmail, expired in the queue (QSBMF)',
    kind: 'soft bounce',
    status: '4.4.1',
    raw: qmail(
      "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long.",
    ),
  },
  {
    name: 'Amazon SES, unknown user',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: notification({
      head: `Date: Sat, 21 Nov 2026 14:00:08 +0000
From: MAILER-DAEMON@amazonses.com
Message-ID: <0100018b-0000@email.amazonses.com>
Subject: Delivery Status Notification (Failure)`,
      text: 'An error occurred while trying to deliver the mail to the following recipients:',
      status: `Reporting-MTA: dns; a8-70.smtp-out.amazonses.com

Action: failed
Final-Recipient: rfc822; {to}
Diagnostic-Code: smtp; 550 5.1.1 user unknown
Status: 5.1.1`,
    }),
  },
  {
    name: 'Yahoo, account that does not exist',
    kind: 'hard bounce',
    status: null,
    raw: (mail) => `From: MAILER-DAEMON@yahoo.com
To: ${mail.returnPath}
Date: Sat, 21 Nov 2026 14:00:08 -0000
Subject: Failure Notice
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Sorry, we were unable to deliver your message to the following address.

<${mail.to}>:
554: delivery error: dd This user doesn't have a yahoo.com account (${mail.to}) [0] - mta1.mail.bf1.yahoo.com

--- Below this line is a copy of the message.

${returned(mail)}
`,
  },
  {
    name: 'iCloud, unknown alias',
    kind: 'hard bounce',
    status: '5.1.1',
    raw: notification({
      head: `From: Internet Mail Delivery <postmaster@mail.icloud.example>
Date: Sat, 21 Nov 2026 14:00:08 +0000 (GMT)
Subject: Delivery Notification: Delivery has failed
Auto-Submitted: auto-replied`,
      text: 'This report relates to a message you sent with the following header fields:',
      status: `Original-envelope-id: 0S0000000
Reporting-MTA: dns;mr85p00im.icloud.example (tcp-daemon)
Arrival-date: Sat, 21 Nov 2026 14:00:06 +0000 (GMT)

Original-recipient: rfc822;{to}
Final-recipient: rfc822;{to}
Action: failed
Status: 5.1.1 (unknown or illegal alias)
Diagnostic-code: smtp;550 5.1.1 unknown or illegal alias: {to}`,
      part: 'text/rfc822-headers',
    }),
  },
  {
    name: 'feedback report, abuse',
    kind: 'complaint',
    status: null,
    raw: feedback('abuse', 'Original-Mail-From: <{from}>\nSource-IP: 192.0.2.25'),
  },
  {
    name: 'feedback report of Yahoo, without any address',
    kind: 'complaint',
    status: null,
    raw: feedback('abuse', 'Reported-Domain: example.org'),
  },
  {
    name: 'feedback report, not spam',
    kind: 'unknown',
    status: null,
    raw: feedback('not-spam', 'Original-Mail-From: <{from}>'),
  },
  {
    name: 'Outlook.com complaint (JMRP)',
    kind: 'complaint',
    status: null,
    raw: (mail) => `From: staff@hotmail.com
To: abuse@example.org
Subject: complaint about message from 192.0.2.25
Date: Sun, 22 Nov 2026 08:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="jmrp_0001"

--jmrp_0001
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: ${mail.to}
${returned(mail)}

HOLD 54
--jmrp_0001--
`,
  },
  {
    name: 'absence note of Exchange',
    kind: 'automatic reply',
    status: null,
    raw: (mail) => `From: Reader <${mail.to}>
To: <${mail.returnPath}>
Subject: Automatic reply: HOLD 54
Auto-Submitted: auto-generated
X-Auto-Response-Suppress: All
Content-Type: text/plain; charset=utf-8

I am away. My colleague's address is unknown: 550 5.1.1 User unknown.
`,
  },
  {
    name: 'vacation message of a Unix account',
    kind: 'automatic reply',
    status: null,
    raw: (mail) => `From: ${mail.to}
To: ${mail.returnPath}
Subject: away from my mail
Precedence: vacation

I will read your mail when I return.
`,
  },
  {
    name: 'reply of a person',
    kind: 'unknown',
    status: null,
    raw: (mail) => `From: ${mail.to}
To: ${mail.returnPath}
Subject: Re: HOLD 54

The user does not exist, says the postmaster. Do you know why?
`,
  },
];
