#include "aggregated.hpp"
#include "aggregation.hpp"
#include "separate_messages.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace switchyard::algorithms::neighborhood {

namespace {

class Aggregated {
  public:
    Aggregated(const Exchange& exchange, Wire& wire, const Aggregation& plan)
        : exchange_(exchange), routes_(plan.routes), plan_(plan), limit_(plan.limit), wire_(wire),
          second_(wire.take_second_channel()) {}

    Status run() {
        SeparateMessages direct(exchange_, second_, GoesDirectly{exchange_.group, limit_});
        receive_all();
        collect();
        direct.start();
        Status status = copy_own_blocks(exchange_);
        std::size_t expected = routes_.from_sources.size();
        if (wire_.wait_for_first(expected).ok()) carry();
        expected += routes_.arrived.size();
        if (wire_.wait_for_first(expected).ok()) distribute(status);
        if (const Status ended = wire_.wait_all(); ended.ok())
            take(status);
        else
            status.keep(ended);
        status.keep(direct.finish());
        return status;
    }

  private:
    struct GoesDirectly {
        const Group& group;
        std::size_t limit;
        bool operator()(int rank, std::size_t bytes) const { return bytes >= limit || group.is_near(rank); }
    };

    // The mark `limit_` says that a block goes directly.
    std::size_t said(std::size_t bytes) const { return std::min(bytes, limit_); }
    std::size_t carried_bytes(std::size_t said) const { return said == limit_ ? 0 : said; }

    // In the order in which this rank waits for them.
    void receive_all() {
        const auto receive = [this](int rank, const Room& room) {
            wire_.receive(rank, room.bytes.get(), room.size);
        };
        for (std::size_t i = 0; i < routes_.from_sources.size(); ++i)
            receive(routes_.from_sources[i].source, plan_.from_sources[i]);
        for (std::size_t i = 0; i < routes_.arrived.size(); ++i)
            receive(routes_.arrived[i].from, plan_.arrived[i]);
        for (std::size_t i = 0; i < routes_.from_carriers.size(); ++i)
            receive(routes_.from_carriers[i].with, plan_.from_carriers[i]);
    }

    void send(int rank, const Room& room, const std::byte* end) {
        wire_.send(rank, room.bytes.get(), static_cast<std::size_t>(end - room.bytes.get()));
    }

    // Blocks of this rank, as a chunk.
    std::byte* write_own(std::span<const int> blocks, std::byte* chunk) const {
        ChunkWriter writer(chunk, static_cast<int>(blocks.size()));
        for (const int number : blocks) {
            const Block& block = sent_block(exchange_, number);
            const std::size_t size = said(block.size);
            writer.add(size, exchange_.send_base + block.offset, carried_bytes(size));
        }
        return writer.end();
    }

    void collect() {
        for (std::size_t i = 0; i < routes_.collected.size(); ++i) {
            std::byte* end = plan_.collected[i].bytes.get();
            for (const auto& chunk : routes_.collected[i].chunks) end = write_own(chunk, end);
            send(routes_.collected[i].carrier, plan_.collected[i], end);
        }
    }

    // Sources have their chunks in the order of the nodes, so each message is read from its start to its end.
    void carry() {
        std::vector<const std::byte*>& read = next_read_;
        for (const Room& room : plan_.from_sources) read.push_back(room.bytes.get());
        std::span<const int> own = routes_.own_chunks;
        for (std::size_t i = 0; i < routes_.carried.size(); ++i) {
            std::byte* end = plan_.carried[i].bytes.get();
            for (const auto& [source, blocks] : routes_.carried[i].chunks) {
                if (source == SourceChunk::own) {
                    end = write_own(own.first(static_cast<std::size_t>(blocks)), end);
                    own = own.subspan(static_cast<std::size_t>(blocks));
                } else {
                    end = copy_chunk(read[static_cast<std::size_t>(source)], blocks, end);
                }
            }
            send(routes_.carried[i].to, plan_.carried[i], end);
        }
    }

    std::byte* copy_chunk(const std::byte*& read, int blocks, std::byte* to) const {
        const std::byte* const begin = read;
        read = end_of_chunk(begin, blocks);
        const auto bytes = static_cast<std::size_t>(read - begin);
        copy_bytes(to, begin, bytes);
        return to + bytes;
    }
    const std::byte* end_of_chunk(const std::byte* chunk, int blocks) const {
        ChunkReader reader(chunk, blocks);
        for (int block = 0; block < blocks; ++block) reader.take(carried_bytes(reader.next_size()));
        return reader.end();
    }

    void distribute(Status& status) {
        std::vector<ChunkWriter> writers;
        for (std::size_t i = 0; i < routes_.to_ranks.size(); ++i)
            writers.emplace_back(plan_.to_ranks[i].bytes.get(), routes_.to_ranks[i].number);
        auto delivery = routes_.deliveries.begin();
        for (std::size_t i = 0; i < routes_.arrived.size(); ++i) {
            const std::byte* chunk = plan_.arrived[i].bytes.get();
            auto copies = routes_.arrived[i].deliveries.begin();
            for (const int blocks : routes_.arrived[i].chunks) {
                ChunkReader reader(chunk, blocks);
                for (int block = 0; block < blocks; ++block) {
                    const std::size_t size = reader.next_size();
                    const std::byte* const bytes = reader.take(carried_bytes(size));
                    for (int copy = *copies++; copy > 0; --copy, ++delivery) {
                        if (delivery->message == Delivery::own)
                            status.keep(take_block(delivery->block, size, bytes));
                        else
                            writers[static_cast<std::size_t>(delivery->message)].add(size, bytes,
                                                                                     carried_bytes(size));
                    }
                }
                chunk = reader.end();
            }
        }
        for (std::size_t i = 0; i < routes_.to_ranks.size(); ++i)
            send(routes_.to_ranks[i].with, plan_.to_ranks[i], writers[i].end());
    }

    // The blocks that carriers of this node got for this rank.
    void take(Status& status) {
        for (std::size_t i = 0; i < routes_.from_carriers.size(); ++i) {
            const auto& blocks = routes_.from_carriers[i].blocks;
            ChunkReader reader(plan_.from_carriers[i].bytes.get(), static_cast<int>(blocks.size()));
            for (const int number : blocks) {
                const std::size_t size = reader.next_size();
                status.keep(take_block(number, size, reader.take(carried_bytes(size))));
            }
        }
    }

    Status take_block(int number, std::size_t said, const std::byte* bytes) {
        const std::size_t room = exchange_.recv_size(number);
        if ((said == limit_) != (room >= limit_)) meet_another_size(number, said);
        if (said == limit_) return {}; // comes, or came, directly
        copy_bytes(exchange_.recv_from(number), bytes, std::min(said, room));
        return fits(said, room);
    }

    // An erroneous program receives another size than its neighbour sends, and this rank waits in vain, or its
    // neighbour does. Where a rank has several blocks from one other, nobody can tell which message is missing.
    void meet_another_size(int number, std::size_t said) {
        const int source = exchange_.group.neighborhood->sources()[static_cast<std::size_t>(number)];
        if (said == limit_) {
            const std::size_t room = exchange_.recv_size(number);
            second_.receive(source, room > 0 ? exchange_.recv_from(number) : &nothing_, room > 0 ? room : 1);
        } else if (std::ranges::count(exchange_.group.neighborhood->sources(), source) == 1) {
            second_.cancel_receive(source);
        }
    }

    const Exchange& exchange_;
    const Routes& routes_;
    const Aggregation& plan_;
    const std::size_t limit_;
    Wire &wire_, &second_;
    std::byte nothing_{};
    std::vector<const std::byte*> next_read_; // by message from a source
};

} // namespace

std::unique_ptr<Schedule> aggregated_schedule(const Group& group, const Parameters& parameters,
                                              GoesTo goes_to) {
    return std::make_unique<Aggregation>(group, parameters, goes_to == GoesTo::all_on_a_node);
}

Status aggregated(const Exchange& exchange, Context& context) {
    return Aggregated(exchange, context.wire, static_cast<const Aggregation&>(*context.schedule)).run();
}

} // namespace switchyard::algorithms::neighborhood
