#include "layout.hpp"

#include "watch.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace stress {

namespace {

Signature signature_of(std::vector<MPI_Datatype> basics) {
    Signature made{0, std::move(basics), {}, 0, true};
    for (const auto basic : made.basics) {
        int size = 0;
        MPI_Type_size(basic, &size);
        made.sizes.push_back(size);
        made.unit_bytes += size;
        made.is_uniform = made.is_uniform && basic == made.basics.front();
    }
    return made;
}

std::vector<Signature> make_signatures() {
    std::vector<Signature> made;
    made.push_back(signature_of({MPI_BYTE})); // number 0: blocks of any size
    for (const auto basic : {MPI_INT, MPI_DOUBLE, MPI_INT8_T, MPI_SHORT, MPI_FLOAT, MPI_CHAR})
        for (const std::size_t elements : {1, 2, 3, 4, 7})
            made.push_back(signature_of(std::vector<MPI_Datatype>(elements, basic)));
    made.push_back(signature_of({MPI_DOUBLE, MPI_INT, MPI_CHAR}));
    made.push_back(signature_of({MPI_SHORT, MPI_CHAR}));
    made.push_back(signature_of({MPI_CHAR, MPI_DOUBLE, MPI_CHAR, MPI_FLOAT}));
    made.push_back(signature_of({MPI_DOUBLE, MPI_INT}));
    made.push_back(signature_of({}));
    for (std::size_t i = 0; i < made.size(); ++i) made[i].number = static_cast<int>(i);
    return made;
}

// A datatype under construction. MPI says what its extent is.
struct Draft {
    MPI_Datatype type;
    std::vector<Piece> pieces;
    bool is_own = true;

    void replace(MPI_Datatype by) {
        if (is_own) must(MPI_Type_free(&type), "MPI_Type_free");
        type = by;
        is_own = true;
    }
    std::ptrdiff_t extent() const {
        MPI_Aint lower = 0, extent = 0;
        must(MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent");
        return extent;
    }
};

std::vector<Piece> pieces_at(const Signature& signature, const std::vector<std::ptrdiff_t>& places) {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < places.size(); ++i) pieces.push_back({places[i], signature.sizes[i]});
    return pieces;
}

Draft contiguous(const Signature& signature, Stream& own) {
    const auto elements = static_cast<int>(signature.basics.size());
    std::vector<std::ptrdiff_t> places;
    for (int i = 0; i < elements; ++i) places.push_back(std::ptrdiff_t{i} * signature.sizes.front());
    MPI_Datatype type;
    must(MPI_Type_contiguous(elements, signature.basics.front(), &type), "MPI_Type_contiguous");
    Draft draft{type, pieces_at(signature, places)};
    if (own.one_in(4)) {
        must(MPI_Type_dup(type, &type), "MPI_Type_dup");
        draft.replace(type);
    }
    return draft;
}

// Strides of elements. Open MPI 4.1.4 takes a stride of -1 for 1.
Draft vector_of(const Signature& signature, int stride) {
    const auto elements = static_cast<int>(signature.basics.size());
    std::vector<std::ptrdiff_t> places;
    for (int i = 0; i < elements; ++i) places.push_back(std::ptrdiff_t{i} * stride * signature.sizes.front());
    MPI_Datatype type;
    must(MPI_Type_vector(elements, 1, stride, signature.basics.front(), &type), "MPI_Type_vector");
    return {type, pieces_at(signature, places)};
}

// Elements in any order, with some places left out, from a negative place on.
Draft indexed(const Signature& signature, bool has_gaps, Stream& own) {
    const auto elements = static_cast<int>(signature.basics.size());
    std::vector<int> displacements(static_cast<std::size_t>(elements + (has_gaps ? 2 : 0)));
    std::iota(displacements.begin(), displacements.end(), own.between(-2, 1));
    own.shuffle(displacements);
    displacements.resize(static_cast<std::size_t>(elements));
    std::vector<std::ptrdiff_t> places;
    for (const int at : displacements) places.push_back(std::ptrdiff_t{at} * signature.sizes.front());
    MPI_Datatype type;
    if (own.percent(50)) {
        must(
            MPI_Type_create_indexed_block(elements, 1, displacements.data(), signature.basics.front(), &type),
            "MPI_Type_create_indexed_block");
    } else {
        const std::vector<int> ones(displacements.size(), 1);
        must(MPI_Type_indexed(elements, ones.data(), displacements.data(), signature.basics.front(), &type),
             "MPI_Type_indexed");
    }
    return {type, pieces_at(signature, places)};
}

// Members at any bytes: in order, or from the last to the first.
Draft structure(const Signature& signature, bool has_gaps, Stream& own) {
    const auto members = signature.basics.size();
    std::vector<std::size_t> order(members);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (own.percent(50)) std::ranges::reverse(order);
    std::vector<MPI_Aint> places(members);
    MPI_Aint at = own.between(-9, 9);
    for (const auto member : order) {
        places[member] = at;
        at += signature.sizes[member] + (has_gaps ? own.between(0, 5) : 0);
    }
    const std::vector<int> ones(members, 1);
    MPI_Datatype type;
    must(MPI_Type_create_struct(static_cast<int>(members), ones.data(), places.data(),
                                signature.basics.data(), &type),
         "MPI_Type_create_struct");
    return {type, pieces_at(signature, {places.begin(), places.end()})};
}

// A lower bound before the first byte, or behind it, and room to the next item.
void resize(Draft& draft, Stream& own) {
    std::ptrdiff_t low = 0, high = 0;
    for (const auto& piece : draft.pieces) {
        low = std::min(low, piece.place);
        high = std::max(high, piece.place + piece.bytes);
    }
    const auto lower = own.between(-20, 12);
    MPI_Datatype type;
    must(MPI_Type_create_resized(draft.type, lower, high - low + own.between(0, 11), &type),
         "MPI_Type_create_resized");
    draft.replace(type);
}

// Several units as one item.
void repeat(Draft& draft, int units) {
    const auto extent = draft.extent();
    std::vector<Piece> pieces;
    for (int unit = 0; unit < units; ++unit)
        for (const auto& piece : draft.pieces) pieces.push_back({piece.place + unit * extent, piece.bytes});
    MPI_Datatype type;
    must(MPI_Type_contiguous(units, draft.type, &type), "MPI_Type_contiguous");
    draft.replace(type);
    draft.pieces = std::move(pieces);
}

Draft draw_unit(const LayoutRequest& request, Stream& own) {
    const auto& signature = request.signature;
    const bool has_gaps = request.widest == Spread::wide;
    if (!signature.is_uniform) return structure(signature, has_gaps, own);
    const int kind = own.between(0, 3);
    if (kind == 0 || request.widest == Spread::row) return contiguous(signature, own);
    if (kind == 1) return vector_of(signature, has_gaps ? own.pick(std::vector{-3, -2, 2, 3}) : 1);
    return kind == 2 ? indexed(signature, has_gaps, own) : structure(signature, has_gaps, own);
}

std::shared_ptr<const Layout> finish(Draft draft) {
    must(MPI_Type_commit(&draft.type), "MPI_Type_commit");
    return std::make_shared<const Layout>(draft.type, draft.is_own, std::move(draft.pieces));
}

// The column of a matrix: item after item begins at the next element, as programs that transpose have it.
std::shared_ptr<const Layout> interleaved(const LayoutRequest& request) {
    auto draft = vector_of(request.signature, request.columns);
    MPI_Datatype type;
    must(MPI_Type_create_resized(draft.type, 0, request.signature.sizes.front(), &type),
         "MPI_Type_create_resized");
    draft.replace(type);
    return finish(std::move(draft));
}

std::shared_ptr<const Layout> empty() {
    MPI_Datatype type;
    must(MPI_Type_contiguous(0, MPI_INT, &type), "MPI_Type_contiguous");
    return finish({type, {}});
}

std::shared_ptr<const Layout> basic(const Signature& signature) {
    return std::make_shared<const Layout>(signature.basics.front(), false,
                                          std::vector<Piece>{{0, signature.sizes.front()}});
}

// MPI's own pair of a double and an int.
std::shared_ptr<const Layout> pair() {
    return std::make_shared<const Layout>(MPI_DOUBLE_INT, false, std::vector<Piece>{{0, 8}, {8, 4}});
}

bool is_pair(const Signature& signature) {
    return signature.basics == std::vector{MPI_DOUBLE, MPI_INT};
}

} // namespace

const std::vector<Signature>& signatures() {
    static const auto made = make_signatures();
    return made;
}

Layout::Layout(MPI_Datatype type, bool is_own, std::vector<Piece> pieces)
    : type_(type), is_own_(is_own), elements_(pieces.size()) {
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    must(MPI_Type_get_extent(type_, &lower, &extent), "MPI_Type_get_extent");
    extent_ = extent;
    if (pieces.empty()) return;
    for (const auto& piece : pieces)
        if (!pieces_.empty() && pieces_.back().place + pieces_.back().bytes == piece.place)
            pieces_.back().bytes += piece.bytes;
        else
            pieces_.push_back(piece);
    low_ = pieces_.front().place;
    high_ = low_;
    for (const auto& piece : pieces_) {
        low_ = std::min(low_, piece.place);
        high_ = std::max(high_, piece.place + piece.bytes);
    }
    must(MPI_Type_get_true_extent(type_, &true_lower, &true_extent), "MPI_Type_get_true_extent");
    if (true_lower != low_ || true_extent != high_ - low_)
        fail("a layout of mine is another one for MPI: %td %td not %td %td, %zu pieces", low_, high_ - low_,
             true_lower, true_extent, pieces_.size());
}

Layout::~Layout() {
    if (is_own_) must(MPI_Type_free(&type_), "MPI_Type_free");
}

int Layout::items(const Signature& signature, int units) const {
    if (elements_ == 0) return units;
    return static_cast<int>(static_cast<std::size_t>(units) * signature.basics.size() / elements_);
}

void Layout::scatter(const unsigned char* bytes, int items, unsigned char* origin) const {
    if (pieces_.size() == 1 && extent_ == pieces_[0].bytes) {
        std::memcpy(origin + pieces_[0].place, bytes, static_cast<std::size_t>(items * extent_));
        return;
    }
    for (int item = 0; item < items; ++item)
        for (const auto& piece : pieces_) {
            std::memcpy(origin + item * extent_ + piece.place, bytes, static_cast<std::size_t>(piece.bytes));
            bytes += piece.bytes;
        }
}

const LayoutPool::Kept* LayoutPool::find(const LayoutRequest& request) const {
    for (const auto& kept : kept_) {
        const bool has_size = request.item == Item::any    ? request.granule % kept.units == 0
                              : request.item == Item::unit ? kept.units == 1
                                                           : kept.units == request.granule;
        if (kept.signature == request.signature.number && has_size && kept.spread <= request.widest)
            return &kept;
    }
    return nullptr;
}

void LayoutPool::keep(Kept made, Stream& own) {
    constexpr std::size_t most_kept = 24;
    if (kept_.size() == most_kept)
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(own.below(most_kept)));
    kept_.push_back(std::move(made));
}

std::shared_ptr<const Layout> LayoutPool::draw(const LayoutRequest& request, Stream& own) {
    constexpr int most_columns = 200;
    const auto& signature = request.signature;
    const auto elements = signature.basics.size();
    const bool is_any = request.item == Item::any;
    const bool may_be_unit = is_any || request.item == Item::unit || request.granule == 1;
    if (elements == 0) return empty();
    if (signature.is_uniform) {
        const bool is_one = elements == 1 && may_be_unit;
        if (request.item == Item::element || ((is_any || is_one) && own.percent(40))) return basic(signature);
    }
    if (is_pair(signature) && may_be_unit && own.percent(40)) return pair();
    if (own.percent(40))
        if (const auto* kept = find(request)) return kept->layout;
    if (signature.is_uniform && elements > 1 && may_be_unit && request.widest == Spread::wide &&
        request.columns > 0 && request.columns < most_columns && own.one_in(8))
        return interleaved(request);
    auto draft = draw_unit(request, own);
    if (request.widest == Spread::wide && own.percent(25)) resize(draft, own);
    const int units = (is_any && own.percent(50)) || request.item == Item::granule ? request.granule : 1;
    if (units > 1) repeat(draft, units);
    auto layout = finish(std::move(draft));
    if (own.percent(50)) keep({signature.number, units, request.widest, layout}, own);
    return layout;
}

} // namespace stress
