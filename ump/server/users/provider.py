"""Login by an OpenID provider: the authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636).

A user is known by the issuer and the subject, never by the name or the mail address there, which may change hands. What
the browser keeps between two requests is in short-lived cookies, so any server of a site takes the next request.
"""

from __future__ import annotations

import hmac
import json
import secrets
import tomllib
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import fields
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import FileBodyProducer, ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse
from twisted.web.server import Request

from ump.model.value import value
from ump.net.connection_budget import is_local
from ump.net.http.resources import (
    RequestRefused,
    argument_of,
    cookie_of,
    headers_of,
    is_encrypted,
    own_cookie,
    set_cookie,
)
from ump.net.wall_clock import wall_seconds
from ump.server.settings import ConfigError
from ump.server.users.user_database import Identity

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

STATE_COOKIE = b"ump-login"
"""The cookie of a login that has begun."""

IDENTITY_COOKIE = b"ump-identity"
"""The cookie of somebody whom the provider knows, and who has yet to choose a name."""

COOKIE_SECONDS = 600
"""Seconds for a login at the provider, and for the choice of a name."""

KEPT_SECONDS = 3_600.0
"""Seconds for which the description of the provider and its keys are not asked for again."""

KEYS_AGAIN = 60.0
"""Seconds between two looks at the keys, because of tokens with other ones."""

MOST_BYTES = 262_144
"""Bytes of an answer of the provider."""

ANSWER_SECONDS = 10.0
"""Seconds in which the provider must answer."""

LEEWAY = 60
"""Seconds by which the clocks of server and provider may differ."""

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""The signatures that count. All have a public key, so none can be forged with what the provider publishes."""

ACCOUNT_PAGE = "/account"


class ProviderError(Exception):
    """The provider cannot be reached, or has sent what cannot be trusted; the message is for the log."""


@value
class ProviderSettings:
    """The provider and this server as its client, as the operator describes them in a file."""

    issuer: str
    """The address of the provider."""
    client_id: str
    client_secret: str
    name: str
    """The provider's name on the page."""

    @classmethod
    def read(cls, path: Path) -> ProviderSettings:
        """Read a file of TOML; raises ConfigError."""
        place = f"--provider {path}"
        try:
            found = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{place}: {getattr(error, 'strerror', None) or error}") from error
        names = [each.name for each in fields(cls)]
        if sorted(found) != sorted(names) or not all(isinstance(each, str) and each for each in found.values()):
            raise ConfigError(f"{place}: expected the texts {', '.join(names)}, and nothing else")
        settings = cls(**found)
        if not _is_safe(settings.issuer):
            raise ConfigError(f"{place}: issuer must be an address that begins with https://")
        return settings


def _is_safe(address: str) -> bool:
    """Return whether nobody on the way can change what an address returns: it is encrypted, or on this computer."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_local(parts.hostname or ""))


@value
class Intent:
    """The purpose of a browser with an identity: to log in as its user, or to add it to an account."""

    user: str | None = None
    """The user who adds it; None: its user logs in."""
    session: str = ""
    """The public part of the session in which that user has asked for it."""


class Provider:
    """Sends browsers to the provider, and tells whom it has sent back."""

    def __init__(
        self,
        settings: ProviderSettings,
        clock: IReactorTime,
        agent: IAgent,
        greet: Callable[[Identity, Request, Intent], Deferred[bool]],
    ) -> None:
        """``greet`` does what a browser wants with an identity, and returns False if it belongs to no user."""
        self.name = settings.name
        self._settings = settings
        self._clock = clock
        self._agent = agent
        self._greet = greet
        self._kept: dict[str, tuple[float, Any]] = {}
        """The documents of the provider, by address, and the time at which each was read."""

    # The browser goes, and comes back

    def begin(self, request: Request, intent: Intent) -> Deferred[str]:
        """Return a Deferred with the address of the provider to which a browser goes."""

        def address(about: Mapping[str, str]) -> str:
            state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
            self._keep(request, STATE_COOKIE, state, nonce, verifier, intent.user, intent.session)
            challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
            query = {
                "response_type": "code",
                "client_id": self._settings.client_id,
                "redirect_uri": _way_back(request),
                "scope": "openid",
                "state": state,
                "nonce": nonce,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
            where = about["authorization_endpoint"]
            return f"{where}{'&' if urlsplit(where).query else '?'}{urlencode(query)}"

        return self._about().addCallback(address)

    @inlineCallbacks
    def end(self, request: Request) -> Any:
        """Return a Deferred with the address to which a browser goes that comes from the provider.

        It fails with RequestRefused, LoginRefused or ProviderError.
        """
        state, nonce, verifier, user, session = self._kept_in(request, STATE_COOKIE) or ("", "", "", None, "")
        self._forget(request, STATE_COOKIE)
        if not state or not hmac.compare_digest(state.encode(), (argument_of(request, "state") or "").encode()):
            raise RequestRefused(403, "this login did not begin here, or took too long; try again")
        code = argument_of(request, "code")
        if code is None:
            return f"{ACCOUNT_PAGE}#refused"
        identity = yield self._identity(code, nonce, verifier, _way_back(request))
        is_known = yield self._greet(identity, request, Intent(user, session))
        if not is_known:
            self._keep(request, IDENTITY_COOKIE, identity.issuer, identity.subject)
        return ACCOUNT_PAGE if user is None else f"{ACCOUNT_PAGE}#linked"

    # Somebody without a name here

    def waiting(self, request: Request) -> Identity | None:
        """Return the identity of a browser that has come back from the provider, and belongs to no user yet."""
        kept = self._kept_in(request, IDENTITY_COOKIE)
        return None if kept is None else Identity(*kept)

    def forget(self, request: Request) -> None:
        """Let a browser forget the identity, because a user has it."""
        self._forget(request, IDENTITY_COOKIE)

    # Cookies that nobody else can make

    def _keep(self, request: Request, cookie: bytes, *content: str | None) -> None:
        """Let a browser keep something for ``COOKIE_SECONDS``."""
        data = json.dumps([*content, wall_seconds(self._clock) + COOKIE_SECONDS])
        text = urlsafe_b64encode(data.encode()).decode()
        set_cookie(request, own_cookie(request, cookie), f"{text}.{self._seal(cookie, text)}", COOKIE_SECONDS)

    def _kept_in(self, request: Request, cookie: bytes) -> list[Any] | None:
        """Return what a browser keeps; None: nothing, or it is too old."""
        text, _, seal = cookie_of(request, cookie).partition(".")
        if not hmac.compare_digest(seal.encode(), self._seal(cookie, text).encode()):
            return None
        *content, until = json.loads(urlsafe_b64decode(text))
        return content if wall_seconds(self._clock) < until else None

    def _forget(self, request: Request, cookie: bytes) -> None:
        set_cookie(request, own_cookie(request, cookie), "", 0)

    def _seal(self, cookie: bytes, text: str) -> str:
        key = sha256(f"{cookie.decode()}-2/{self._settings.client_secret}".encode()).digest()
        return hmac.new(key, text.encode(), sha256).hexdigest()

    # The server asks the provider

    @inlineCallbacks
    def _identity(self, code: str, nonce: str, verifier: str, way_back: str) -> Any:
        """Return a Deferred with the identity that a code stands for."""
        about = yield self._about()
        body = {"grant_type": "authorization_code", "code": code, "redirect_uri": way_back, "code_verifier": verifier}
        client = f"{quote(self._settings.client_id, safe='')}:{quote(self._settings.client_secret, safe='')}"
        found = yield self._ask(about["token_endpoint"], urlencode(body).encode(), b64encode(client.encode()))
        token = found.get("id_token")
        if not isinstance(token, str):
            raise ProviderError("the provider has sent no id_token")
        keys = yield self._keys(about["jwks_uri"])
        try:
            return self._verified(token, keys, nonce)
        except UnknownKey:
            keys = yield self._keys(about["jwks_uri"], KEYS_AGAIN)
            return self._verified(token, keys, nonce)

    def _verified(self, text: str, keys: KeySet, nonce: str) -> Identity:
        """Return the identity in an ID token; raises ProviderError and UnknownKey."""
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        try:
            claims = jwt.decode(text, keys, algorithms=ALGORITHMS).claims
            jwt.JWTClaimsRegistry(
                now=int(wall_seconds(self._clock)),
                leeway=LEEWAY,
                iss={"essential": True, "value": self._settings.issuer},
                aud={"essential": True, "value": self._settings.client_id},
                nonce={"essential": True, "value": nonce},
                sub={"essential": True},
                exp={"essential": True},
                iat={"essential": True},
            ).validate(claims)
        except InvalidKeyIdError as error:
            raise UnknownKey(str(error)) from error
        except (JoseError, ValueError) as error:
            raise ProviderError(f"the id_token is not valid: {error}") from error
        is_for_several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if is_for_several else self._settings.client_id) != self._settings.client_id:
            raise ProviderError("the id_token was made for another client")
        return Identity(claims["iss"], claims["sub"])

    def _about(self) -> Deferred[Mapping[str, str]]:
        """Return a Deferred with the description of the provider."""
        issuer = self._settings.issuer

        def checked(found: Mapping[str, Any]) -> Mapping[str, str]:
            """Return the description if it is the provider's own, and leads only to safe places."""
            names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
            if found.get("issuer") != issuer or not all(_is_safe(str(found.get(name))) for name in names):
                raise ProviderError("the description of the provider is not its own, or lacks what a login needs")
            return {name: found[name] for name in names}

        return self._published(f"{issuer.rstrip('/')}/.well-known/openid-configuration", checked, KEPT_SECONDS)

    def _keys(self, address: str, lasts: float = KEPT_SECONDS) -> Deferred[KeySet]:
        """Return a Deferred with the keys of the provider."""
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        def keys(found: Any) -> KeySet:
            try:
                return KeySet.import_key_set(found)
            except (JoseError, KeyError, TypeError, ValueError) as error:
                raise ProviderError(f"the keys cannot be read: {error!r}") from error

        return self._published(address, keys, lasts)

    @inlineCallbacks
    def _published(self, address: str, read: Callable[[Any], Any], lasts: float) -> Any:
        """Return a Deferred with what is made of something that the provider publishes; it is asked seldom."""
        read_at, found = self._kept.get(address, (0.0, None))
        if found is None or self._clock.seconds() - read_at >= lasts:
            answer = yield self._ask(address)
            found = read(answer)
            self._kept[address] = self._clock.seconds(), found
        return found

    @inlineCallbacks
    def _ask(self, address: str, form: bytes | None = None, client: bytes = b"") -> Any:
        """Return a Deferred with the JSON at an address, to which a form may be posted."""
        headers = {b"Accept": [b"application/json"]}
        if form is not None:
            headers[b"Content-Type"] = [b"application/x-www-form-urlencoded"]
            headers[b"Authorization"] = [b"Basic " + client]
        body = None if form is None else FileBodyProducer(BytesIO(form))
        method = b"GET" if form is None else b"POST"
        try:
            asked = self._agent.request(method, address.encode(), Headers(headers), body)
            response = yield asked.addTimeout(ANSWER_SECONDS, self._clock)
            content = yield _whole_body(response).addTimeout(ANSWER_SECONDS, self._clock)
            found = json.loads(content)
        except Exception as error:
            if isinstance(error, ProviderError):
                raise
            raise ProviderError(f"{address}: {_why(error)}") from error
        if response.code != 200 or not isinstance(found, dict):
            raise ProviderError(f"{address}: the answer is {response.code} {str(found)[:200]}")
        return found


class Body(Protocol):
    """Collects the body of a response, unless it is too long."""

    def __init__(self, done: Deferred[bytes]) -> None:
        self._done = done
        self._content = b""

    def dataReceived(self, data: bytes) -> None:
        """Take a part."""
        self._content += data
        if len(self._content) > MOST_BYTES and self.transport is not None:
            self.transport.abortConnection()  # type: ignore[attr-defined]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Pass the whole on, or why there is none."""
        if len(self._content) > MOST_BYTES:
            self._done.errback(ProviderError("the answer is too long"))
        elif reason.check(ResponseDone, PotentialDataLoss) is None:
            self._done.errback(reason)
        else:
            self._done.callback(self._content)


def _whole_body(response: IResponse) -> Deferred[bytes]:
    """Return a Deferred with the body of a response."""
    done: Deferred[bytes] = Deferred()
    response.deliverBody(Body(done))
    return done


class UnknownKey(ProviderError):
    """A token was signed by a key that the provider had not published when it was asked."""


def _why(error: Exception) -> str:
    """Return why a request has failed, of several reasons the last."""
    reasons = error.reasons if isinstance(error, ResponseFailed) else []
    return reasons[-1].getErrorMessage() if reasons else str(error) or type(error).__name__


def _way_back(request: Request) -> str:
    """Return the address to which the provider sends a browser back: that at which the browser has reached us.

    Raises RequestRefused if a program of HTTP/1.0 does not say it.
    """
    if not headers_of(request, "host"):
        raise RequestRefused(400, "Host: expected one name or address")
    return f"{'https' if is_encrypted(request) else 'http'}://{headers_of(request, 'host')[0]}/login/back"
