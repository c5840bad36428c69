/*
 * Plays hanchan on @kobalab/majiang-core and prints their cost. Each line "tsumogiri" or "random" on standard input
 * leads to one line of JSON. The package is searched from the current folder and in NODE_PATH.
 */
"use strict";

const paths = [process.cwd(), ...(process.env.NODE_PATH || "").split(require("path").delimiter).filter((each) => each)];
const place = require.resolve("@kobalab/majiang-core", { paths });
const Majiang = require(place);
const { version } = JSON.parse(require("fs").readFileSync(require("path").join(place, "../../package.json")));

let questions = 0;

function any(list) {
    return list[Math.floor(Math.random() * list.length)];
}

/** Discards what it draws and calls nothing; the drawn tile of another player is empty. */
class Tsumogiri {
    action(message, callback) {
        if (!callback) return;
        const drawn = message.zimo || message.gangzimo;
        if (drawn && drawn.p) {
            questions++;
            callback({ dapai: drawn.p + "_" });
        } else callback({});
    }
}

/** Chooses evenly among all replies that the package's own player finds legal. */
class RandomLegal extends Majiang.Player {
    choose(replies) {
        questions++;
        this._callback(any(replies));
    }

    action_kaiju() { this._callback({}); }
    action_qipai() { this._callback({}); }
    action_hule() { this._callback({}); }
    action_pingju() { this._callback({}); }
    action_jieju() { this._callback({}); }

    discards() {
        const replies = this.get_dapai(this.shoupai).map((tile) => ({ dapai: tile }));
        for (const tile of this.allow_lizhi(this.shoupai) || []) replies.push({ dapai: tile + "*" });
        return replies;
    }

    action_zimo(drawn, rinshan) {
        if (drawn.l != this._menfeng) return this._callback({});
        const replies = this.discards();
        for (const meld of this.get_gang_mianzi(this.shoupai) || []) replies.push({ gang: meld });
        if (this.allow_hule(this.shoupai, null, rinshan)) replies.push({ hule: "-" });
        if (this.allow_pingju(this.shoupai)) replies.push({ daopai: "-" });
        this.choose(replies);
    }

    action_dapai(discard) {
        if (discard.l == this._menfeng) return this._callback({});
        const tile = discard.p.slice(0, 2) + ["", "+", "=", "-"][(4 + discard.l - this._menfeng) % 4];
        const replies = [];
        for (const list of [this.get_chi_mianzi, this.get_peng_mianzi, this.get_gang_mianzi]) {
            for (const meld of list.call(this, this.shoupai, tile) || []) replies.push({ fulou: meld });
        }
        if (this.allow_hule(this.shoupai, tile)) replies.push({ hule: "-" });
        if (replies.length == 0) return this._callback({});
        this.choose([{}, ...replies]);
    }

    action_fulou(call) {
        if (call.l != this._menfeng || call.m.match(/\d{4}/)) return this._callback({});
        this.choose(this.discards());
    }

    action_gang(kan) {
        if (kan.l == this._menfeng || kan.m.match(/^[mpsz]\d{4}$/)) return this._callback({});
        const tile = kan.m[0] + kan.m.slice(-1) + ["", "+", "=", "-"][(4 + kan.l - this._menfeng) % 4];
        if (!this.allow_hule(this.shoupai, tile, true)) return this._callback({});
        this.choose([{}, { hule: "-" }]);
    }
}

const KINDS = { tsumogiri: Tsumogiri, random: RandomLegal };

function play(kind) {
    questions = 0;
    const begun = process.cpuUsage();
    const players = [0, 1, 2, 3].map(() => new KINDS[kind]());
    const game = new Majiang.Game(players, null, Majiang.rule({ "最大同時和了数": 3 }), "bench").do_sync();
    const used = process.cpuUsage(begun);
    const kyoku = game._paipu.log.length;
    return { version, seconds: (used.user + used.system) / 1e6, questions, kyoku };
}

require("readline")
    .createInterface({ input: process.stdin })
    .on("line", (line) => console.log(JSON.stringify(play(JSON.parse(line)))));
